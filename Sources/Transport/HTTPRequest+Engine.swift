public import HTTPMessages

extension HTTPRequest {
    /// Connection and framing fields, which the engine sets.
    private static let reservedFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Validates what only an engine checks: the timeouts, and the fields that engines set themselves.
    ///
    /// For engines: a transport that sends requests to a server calls it first. Layers need not.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`, `invalidFieldName`, `invalidFieldValue`), ``TransportError``
    ///   (`reservedField`).
    public func checkForEngine() throws {
        try fields.validate()
        try options.timeouts.validate()
        if let field = fields.first(where: { Self.reservedFields.contains($0.name.canonicalName) }) {
            throw TransportError(
                .reservedField, "The transport sets the header \(field.name); remove it from the request.",
                request: self)
        }
    }
}
