package import HTTPMessages

extension HTTPRequest {
    /// Removes what an origin other than that of the call must not get: secret fields, signatures, the socket.
    ///
    /// For a URL that the app or a server has named. A redirect has rules of its own: `RedirectPolicy`.
    package mutating func leaveOrigin() {
        options.hasLeftOrigin = true
        options.unixSocketPath = nil
        options.trailers = nil
        for name in fields.map(\.name)
        where Redaction.standard.isSecret(name.rawName) || options.credentialFields.contains(name) {
            fields.remove(name)
        }
    }
}
