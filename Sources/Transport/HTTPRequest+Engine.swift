public import HTTPMessages

extension HTTPRequest {
    /// Connection and framing fields, which the engine sets.
    package static let reservedFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Validates what only an engine checks: the timeouts, the fields that engines set themselves, the trailers, and
    /// the features.
    ///
    /// For engines: a transport that sends requests to a server calls it first. Layers need not.
    /// - Parameter isSupported: tells which features the engine has; by default none.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`, `invalidFieldName`, `invalidFieldValue`), ``TransportError``
    ///   (`reservedField`; `unsupported` for an option that the engine cannot honor).
    public func checkForEngine(supporting isSupported: (EngineFeature) -> Bool = { _ in false }) throws {
        try fields.validate()
        try options.timeouts.validate()
        if let field = fields.first(where: { Self.reservedFields.contains($0.name.canonicalName) }) {
            throw TransportError(
                .reservedField, "The transport sets the header \(field.name); remove it from the request.",
                request: self)
        }
        guard options.hasLayerOptions || options.timeouts.connect != nil else { return }
        try options.validateContinueTimeout()
        _ = try options.trailers?.validatedFields()
        if let feature = engineFeatures.first(where: { !isSupported($0) }) {
            // The handshake sets the option, and not the app.
            let isWebSocket = feature == .upgrades && options.upgradeProtocol?.lowercased() == "websocket"
            throw TransportError(
                .unsupported,
                isWebSocket
                    ? "This engine has no WebSockets, as URLSession on Linux has none; use `CurlTransport`."
                    : "This engine does not support the request option `\(feature.option)`; remove it, or use another "
                        + "engine such as `CurlTransport`.", request: self)
        }
    }
}
