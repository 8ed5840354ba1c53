package import HTTPMessages

extension HTTPRequest {
    /// Removes what an origin other than that of the call must not get: secret fields, signatures, the socket.
    ///
    /// For a URL that the app or a server has named. A redirect has rules of its own: `RedirectPolicy`.
    /// - Parameter previous: the request that this one follows, whose fields it must not have; others are its own. Nil
    ///   for this one.
    package mutating func leaveOrigin(of previous: HTTPRequest? = nil) {
        options.visitedOrigins.insert(origin)
        options.unixSocketPath = nil
        options.trailers = nil
        let known = previous.map { Set($0.fields) }
        var kept = HTTPFields()
        for field in fields {
            let isSecret =
                Redaction.standard.isCredential(field.name) || options.credentialFields.contains(field.name)
            if !isSecret || known.map({ !$0.contains(field) }) ?? false { kept.append(field) }
        }
        fields = kept
    }
}
