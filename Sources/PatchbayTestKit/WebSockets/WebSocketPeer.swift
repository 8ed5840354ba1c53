import Foundation
public import HTTPMessages
import Transport
public import WebSockets

/// The server's side of one WebSocket, in memory: it sends, receives and closes as a test says.
///
/// ```swift
/// let peer = WebSocketPeer()
/// let transport = FakeTransport { try peer.response(to: $0) }
/// async let prices = shop.prices(over: transport)
/// #expect(try await peer.receive() == .text("subscribe"))
/// try await peer.send(.text("tea 3"))
/// await peer.close()
/// ```
///
/// It reads as fast as the app sends, and answers pings and the close frame of the app. It speaks the protocol itself,
/// without compression, so it works in each transport that takes a response from a closure, below any layers, and not
/// in a ``LoopbackServer``.
public final class WebSocketPeer: Sendable {
    private struct State {
        var hasConnected = false
        var received: [WebSocketMessage] = []
        /// The number of messages that ``WebSocketPeer/receive()`` has returned.
        var readCount = 0
        /// The close frame that this side has sent.
        var closing: WebSocketClosure?
        var closure: WebSocketClosure?
        var scriptError: (any Error)?
    }

    /// The sample of RFC 6455, section 1.3; a fake has no engine that makes a key.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private let subprotocols: [String]
    private let script: @Sendable (WebSocketPeer) async throws -> Void
    private let client: MemoryConnection
    private let server: MemoryConnection
    private let state = Watched(State())

    /// Creates a peer, of one connection.
    /// - Parameters:
    ///   - subprotocols: those to select from, the preferred one first.
    ///   - script: runs beside the test once the socket opens. An error that it throws cuts the connection, and is in
    ///     ``scriptError``; without one the connection stays open after it.
    public init(
        subprotocols: [String] = [], _ script: @escaping @Sendable (WebSocketPeer) async throws -> Void = { _ in }
    ) {
        self.subprotocols = subprotocols
        self.script = script
        (client, server) = MemoryConnection.pair()
    }

    /// The response to a handshake, with status 101 and the connection.
    /// - Throws: `WebSocketError` (`invalidHandshake`) for a request that is no handshake; ``RoutingError``
    ///   (`unexpectedRequest`) for a second one.
    public func response(to request: HTTPRequest) throws -> HTTPResponse {
        var sent = request.fields
        if let name = request.options.upgradeProtocol { try sent.set("Upgrade", to: name) }
        try sent.set("Sec-WebSocket-Key", to: Self.key)
        let options = WebSocketOptions { ($0.subprotocols, $0.compression) = (subprotocols, nil) }
        let selected = try WebSocketHandshake.response(to: sent, options).fields
        let isFirst = state.update { state in
            defer { state.hasConnected = true }
            return !state.hasConnected
        }
        guard isFirst else {
            throw RoutingError(
                unexpected: request, "The peer has its connection already; make a peer for each handshake.")
        }
        var response = request.response(
            HTTPStatus(101) ?? .ok, fields: try HTTPFields(selected.map { ($0.name, $0.value) }))
        response.head.webSocketKey = Self.key
        response.head.upgradedStream = .bytes(client)
        Task { [self] in await read() }
        Task { [self] in
            do {
                try await script(self)
            } catch {
                state.update { $0.scriptError = error }
                cut()
            }
        }
        return response
    }

    // MARK: Receiving

    /// The messages of the app so far.
    public var received: [WebSocketMessage] { state.value.received }

    /// The end of the connection; nil while it is open.
    ///
    /// `isLocal` is true for an end by this peer; the code is `abnormal` without a close frame. When the app closes, it
    /// is set before the app's `close` returns.
    public var closure: WebSocketClosure? { state.value.closure }

    /// The error that the script has thrown, set before it cuts the connection; nil without one.
    public var scriptError: (any Error)? { state.value.scriptError }

    /// The next message of the app, for one reader; nil at the end of the connection.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func receive() async throws -> WebSocketMessage? {
        try await state.wait { $0.readCount < $0.received.count || $0.closure != nil }
        return state.update { state in
            guard state.readCount < state.received.count else { return nil }
            state.readCount += 1
            return state.received[state.readCount - 1]
        }
    }

    private func read() async {
        do {
            var decoder = FrameDecoder(role: .server, limit: .max)
            while let bytes = try await server.read() {
                decoder.supply(bytes)
                while let event = try decoder.next() { try await handle(event) }
            }
        } catch {
            // Ends as a connection without a close frame.
        }
        end(WebSocketClosure(code: .abnormal, isLocal: false))
    }

    private func handle(_ event: FrameEvent) async throws {
        switch event {
        case .message(let message): state.update { $0.received.append(message) }
        case .ping(let payload): try await write { $0.encodePong(payload, to: &$1) }
        case .pong: break
        case .close(let code, let reason):
            let wasClosing = state.update { state in
                state.closure =
                    state.closure ?? state.closing ?? WebSocketClosure(code: code, reason: reason, isLocal: false)
                return state.closing != nil
            }
            if !wasClosing { try await write { $0.encodeClose(code, reason: "", to: &$1) } }
            server.close()
        }
    }

    // MARK: Sending

    /// Sends a message, and waits while the app leaves more than 64 KiB unread; one before the handshake waits for it.
    /// - Throws: `TransportError` (`connectionLost`) after ``close(_:reason:)`` and after the end.
    public func send(_ message: WebSocketMessage) async throws {
        guard state.value.closing == nil, closure == nil else {
            throw TransportError(.connectionLost, "Connection lost: it has ended.")
        }
        try await write { try $0.encode(message, to: &$1) }
    }

    /// Sends each message of the app back, until the end.
    /// - Throws: as ``send(_:)`` and ``receive()``.
    public func echo() async throws {
        while let message = try await receive() { try await send(message) }
    }

    private func write(_ encode: (inout FrameEncoder, inout Data) throws -> Void) async throws {
        var encoder = FrameEncoder(role: .server)
        var bytes = Data()
        try encode(&encoder, &bytes)
        try await server.write(bytes)
    }

    // MARK: The end

    /// Sends a close frame; that of the app ends the connection. After the first, and after the end, nothing is sent.
    /// - Parameter code: one that must not be sent, such as `noCode`, is left out.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async {
        let isFirst = state.update { state in
            guard state.closing == nil, state.closure == nil else { return false }
            state.closing = WebSocketClosure(code: code, reason: reason, isLocal: true)
            return true
        }
        if isFirst { try? await write { $0.encodeClose(code, reason: reason, to: &$1) } }
    }

    /// Ends the connection without a close frame, after the messages that were sent.
    public func cut() { end(WebSocketClosure(code: .abnormal, isLocal: true)) }

    private func end(_ closure: WebSocketClosure) {
        state.update { $0.closure = $0.closure ?? $0.closing ?? closure }
        server.close()
    }
}
