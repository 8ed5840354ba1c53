package import HTTPMessages

extension HTTPRequest {
    /// Removes what an origin other than that of the call must not get: secret fields, signatures, the socket.
    ///
    /// For a URL that the app or a server has named. A redirect has rules of its own: `RedirectPolicy`.
    /// - Parameter previous: the request that this one follows, whose fields it must not have; others are its own. Nil
    ///   for this one.
    package mutating func leaveOrigin(of previous: HTTPRequest? = nil) {
        options.hasLeftOrigin = true
        options.unixSocketPath = nil
        options.trailers = nil
        for name in fields.map(\.name)
        where Redaction.standard.isSecret(name.rawName) || options.credentialFields.contains(name) {
            if let previous, previous.fields[name] != fields[name] { continue }
            fields.remove(name)
        }
    }
}
