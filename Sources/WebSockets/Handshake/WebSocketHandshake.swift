import Foundation
package import HTTPMessages
import SystemLibraries
import Transport

/// The opening handshake (RFC 6455, section 4), without I/O.
package struct WebSocketHandshake {
    /// What the handshake has agreed on.
    package struct Agreement: Hashable, Sendable {
        package var subprotocol: String?
        package var compression: CompressionAgreement?

        package init(subprotocol: String? = nil, compression: CompressionAgreement? = nil) {
            self.subprotocol = subprotocol
            self.compression = compression
        }
    }

    static let acceptField = "Sec-WebSocket-Accept"
    static let extensionsField = "Sec-WebSocket-Extensions"
    static let keyField = "Sec-WebSocket-Key"
    static let protocolField = "Sec-WebSocket-Protocol"
    static let versionField = "Sec-WebSocket-Version"
    private static let protocolName = "websocket"

    let options: WebSocketOptions

    package init(_ options: WebSocketOptions) { self.options = options }

    /// The value of `Sec-WebSocket-Accept` for a key.
    package static func accept(for key: String) -> String {
        Data(MessageDigest.sha1(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
    }

    // MARK: Client

    /// The request of the handshake, without the key, which the engine makes for each connection.
    /// - Throws: ``WebSocketError`` (`invalidArgument`) for a request that is no GET, an invalid subprotocol, or a
    ///   request that already has a field of the handshake.
    package func request(_ request: HTTPRequest) throws -> HTTPRequest {
        guard request.method == .get, request.body.isEmpty else {
            throw WebSocketError(
                .invalidArgument,
                "A WebSocket is opened by GET without a body; the request is \(request.method)"
                    + "\(request.body.isEmpty ? "." : " with a body.")")
        }
        let own = [Self.acceptField, Self.extensionsField, Self.keyField, Self.protocolField, Self.versionField]
        if let field = own.first(where: { request.fields[$0] != nil }) {
            throw WebSocketError(
                .invalidArgument, "Field \(field) is set by the handshake; remove it, or use `WebSocketOptions`.")
        }
        // Without the name: many services take a credential as a subprotocol.
        if let index = options.subprotocols.firstIndex(where: { !$0.isHTTPToken }) {
            throw WebSocketError(
                .invalidArgument,
                "Subprotocol at index \(index) is not a token; use letters, digits or !#$%&'*+-.^_`|~, and no padding.")
        }
        guard Set(options.subprotocols).count == options.subprotocols.count else {
            throw WebSocketError(.invalidArgument, "A subprotocol is offered twice; remove one.")
        }
        var request = request
        request.options.upgradeProtocol = Self.protocolName
        request.options.maximumMessageBytes = options.maximumMessageBytes
        try request.fields.set(Self.versionField, to: "13")
        if !options.subprotocols.isEmpty {
            try request.fields.set(Self.protocolField, to: options.subprotocols.joined(separator: ", "))
        }
        if let compression = options.compression {
            try request.fields.set(Self.extensionsField, to: CompressionAgreement.offer(compression).text)
        }
        return request
    }

    /// Checks the response.
    /// - Parameter isFramed: true if the engine speaks WebSocket itself, and has checked the key and the extensions.
    /// - Throws: ``WebSocketError`` (`handshakeRefused`, `invalidHandshake`).
    package func agreement(_ head: HTTPResponseHead, isFramed: Bool = false) throws(WebSocketError) -> Agreement {
        guard head.status.code == 101 else {
            throw WebSocketError(
                .handshakeRefused,
                "The server responds with status \(head.status.code) and does not switch to WebSocket; check the URL and "
                    + "the credentials.", status: head.status)
        }
        if !isFramed {
            guard let key = head.webSocketKey else { throw invalid("the transport does not tell the key that it sent") }
            guard head.fields[Self.acceptField] == Self.accept(for: key) else {
                throw invalid("\(Self.acceptField) does not match the key")
            }
        }
        let selected = head.fields.values(of: Self.protocolField)
        guard selected.count <= 1, selected.allSatisfy({ options.subprotocols.contains($0) }) else {
            throw invalid("it selects a subprotocol that was not offered")
        }
        var agreement = Agreement(subprotocol: selected.first)
        if !isFramed { agreement.compression = try compression(head) }
        return agreement
    }

    private func compression(_ head: HTTPResponseHead) throws(WebSocketError) -> CompressionAgreement? {
        guard let extensions = WebSocketExtension.parse(head.fields.values(of: Self.extensionsField)) else {
            throw invalid("\(Self.extensionsField) is malformed")
        }
        guard let first = extensions.first else { return nil }
        guard let offered = options.compression, extensions.count == 1, first.name == WebSocketExtension.deflate,
            let agreement = CompressionAgreement(response: first, to: offered)
        else { throw invalid("it has extensions or parameters that were not offered") }
        return agreement
    }

    private func invalid(_ problem: String) -> WebSocketError {
        WebSocketError(.invalidHandshake, "Response to the WebSocket handshake is invalid: \(problem).")
    }

    // MARK: Server

    /// The response fields to a client, in the server's role.
    /// - Throws: ``WebSocketError`` (`invalidHandshake`) if the request is no valid handshake.
    package static func response(
        to fields: HTTPFields, _ options: WebSocketOptions
    ) throws(WebSocketError) -> (fields: [(name: String, value: String)], agreement: Agreement) {
        func invalid(_ problem: String) -> WebSocketError {
            WebSocketError(.invalidHandshake, "Request is no WebSocket handshake: \(problem).")
        }
        guard fields["Upgrade"]?.lowercased() == protocolName else { throw invalid("no field Upgrade: websocket") }
        guard fields[versionField] == "13" else { throw invalid("\(versionField) is not 13") }
        guard let key = fields[keyField], Data(base64Encoded: key)?.count == 16 else {
            throw invalid("\(keyField) is missing or has no 16 bytes")
        }
        var response = [("Upgrade", protocolName), ("Connection", "Upgrade"), (acceptField, accept(for: key))]
        var agreement = Agreement()
        let offered = fields.values(of: protocolField).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmingHTTPWhitespace }
        if let subprotocol = options.subprotocols.first(where: { offered.contains($0) }) {
            agreement.subprotocol = subprotocol
            response.append((protocolField, subprotocol))
        }
        if let compression = options.compression,
            let extensions = WebSocketExtension.parse(fields.values(of: extensionsField)),
            let accepted = CompressionAgreement.accept(extensions, compression)
        {
            agreement.compression = accepted.agreement
            response.append((extensionsField, accepted.response.text))
        }
        return (response.map { (name: $0.0, value: $0.1) }, agreement)
    }
}

extension HTTPFields {
    fileprivate func values(of name: String) -> [String] {
        (try? HTTPFieldName(name)).map { values(of: $0) } ?? []
    }
}
