package import HTTPMessages

extension HTTPRequest {
    /// Removes what an origin other than that of the call must not get: secret fields, signatures, the socket.
    ///
    /// For a URL that the app or a server has named. A redirect has rules of its own: `RedirectPolicy`.
    /// - Parameters:
    ///   - left: the origin of the call.
    ///   - previous: the request that this one follows, whose fields it must not have; others are its own. Nil for this
    ///     one.
    package mutating func leave(_ left: Origin, of previous: HTTPRequest? = nil) {
        options.visitedOrigins.formUnion([left, origin])
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
