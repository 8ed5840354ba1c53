public import Foundation
import HTTPMessages

/// A server connection on which a test controls every byte.
///
/// The methods block this connection's own thread. They fail with ``LoopbackError`` (`connectionLost`) once the client
/// has disconnected or the server is stopped.
///
/// ```swift
/// let server = try LoopbackServer(connections: { connection in
///     _ = try connection.receiveRequest()
///     try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
///     connection.reset()
/// })
/// ```
///
/// When the closure returns or throws, the connection is closed.
public final class RawConnection {
    /// The number of the connection, from 0, in the order of acceptance.
    public let number: Int
    let socket: Socket
    private let log: RequestLog
    private let origin: String
    private var reader: RequestReader<Socket>
    private var output: [UInt8] = []
    /// The head of a request whose body is unread.
    private var unread: RequestHead?

    init(number: Int, socket: Socket, log: RequestLog, origin: String, limits: LoopbackServer.Limits) {
        self.number = number
        self.socket = socket
        self.log = log
        self.origin = origin
        reader = RequestReader(source: socket, limits: limits)
    }

    /// Reads and records the next request with its body; sends `100 Continue` when the client expects it.
    /// - Parameter readsBody: false leaves the body unread, for ``receiveBody(sendsContinue:)`` or ``receive()``.
    /// - Returns: nil when the client has closed the connection.
    /// - Throws: ``LoopbackError`` (`connectionLost`, or `refusedRequest` for a malformed request).
    public func receiveRequest(readsBody: Bool = true) throws(LoopbackError) -> RecordedRequest? {
        do {
            return try next(readsBody: readsBody)
        } catch let refusal as Refusal {
            throw LoopbackError(.refusedRequest, refusal.reason)
        } catch {
            throw .lost
        }
    }

    /// Reads the body that ``receiveRequest(readsBody:)`` has left unread.
    /// - Parameter sendsContinue: true to send `100 Continue` first, if the client expects it.
    /// - Throws: ``LoopbackError`` (`connectionLost`, or `refusedRequest` for a malformed body).
    public func receiveBody(sendsContinue: Bool = true) throws(LoopbackError) -> Data {
        do {
            guard let head = unread.take() else { return Data() }
            return try body(of: head, sendsContinue: sendsContinue).bytes
        } catch let refusal as Refusal {
            throw LoopbackError(.refusedRequest, refusal.reason)
        } catch {
            throw .lost
        }
    }

    /// Reads the next bytes, uninterpreted.
    /// - Returns: nil when the client has closed the connection.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func receive() throws(LoopbackError) -> Data? {
        do { return try reader.readSome() } catch { throw .lost }
    }

    /// Blocks until the client closes the connection or the server is stopped, without sending anything.
    public func stall() {
        while let bytes = try? reader.readSome(), !bytes.isEmpty {}
    }

    /// Sends raw bytes.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(_ bytes: Data) throws(LoopbackError) {
        do { try socket.write(bytes) } catch { throw .lost }
    }

    /// Sends raw text in UTF-8.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(_ text: String) throws(LoopbackError) { try send(Data(text.utf8)) }

    /// Sends one piece of a chunked body; an empty one ends it.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(chunk: Data) throws(LoopbackError) {
        try send(Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8))
    }

    /// Sends the response of a service.
    /// - Returns: true when the connection stays open for the next request.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    @discardableResult
    public func respond(
        to received: RecordedRequest, with service: some HTTPService
    ) async throws(LoopbackError) -> Bool {
        guard let response = await response(to: received, by: service) else { return false }
        let writer = ResponseWriter(
            keepsAlive: received.keepsAlive && response.fields[.connection]?.lowercased() != "close",
            minorVersion: received.minorVersion,
            hidesBody: received.method == HTTPMethod.head.name || response.status.forbidsBody)
        do {
            try writer.write(response, to: socket, using: &output)
            socket.owesResponse = false
        } catch {
            throw .lost
        }
        if !writer.keepsAlive { finish() }
        return writer.keepsAlive
    }

    /// The response of a service; nil for an invalid request, which gets a 400 and closes the connection.
    func response(to received: RecordedRequest, by service: some HTTPService) async -> HTTPResponse? {
        do {
            return await service.framedResponse(to: try received.request(origin: origin))
        } catch {
            try? refuse(Refusal(400, error.message))
            return nil
        }
    }

    /// Closes the connection. The client sees a FIN, or a reset if it sent bytes that were not read.
    public func close() { socket.close() }

    /// Ends this side of the connection: the client sees a FIN, and may still send.
    public func finishSending() { socket.finishSending() }

    /// Resets the connection (RST).
    public func reset() {
        socket.resetWhenClosed()
        socket.close()
    }

    /// Handles requests until the connection closes.
    /// - Parameter handle: returns false to stop.
    func serve(_ handle: (RecordedRequest) async throws -> Bool) async {
        do {
            while let received = try next(readsBody: true), try await handle(received) {}
        } catch let refusal as Refusal {
            try? refuse(refusal)
        } catch {
            // The connection is lost, so no response can be sent.
        }
    }

    private func next(readsBody: Bool) throws -> RecordedRequest? {
        socket.owesResponse = false
        guard let (head, bytes) = try reader.readHead() else { return nil }
        socket.owesResponse = true
        unread = readsBody ? nil : head
        let body = readsBody ? try body(of: head, sendsContinue: true) : (bytes: Data(), trailers: Data())
        return log.record(
            RecordedRequest(
                connection: number, method: head.method, target: head.target, fields: head.fields, body: body.bytes,
                head: bytes, trailers: body.trailers, hasBody: head.framing != .none, keepsAlive: head.keepsAlive,
                minorVersion: head.minorVersion))
    }

    private func body(of head: RequestHead, sendsContinue: Bool) throws -> (bytes: Data, trailers: Data) {
        if case .length(let length) = head.framing { try reader.checkBody(length) }
        if sendsContinue, head.expectsContinue, !reader.hasUnreadBytes { try send("HTTP/1.1 100 Continue\r\n\r\n") }
        return try reader.readBody(head.framing)
    }

    private func refuse(_ refusal: Refusal) throws {
        var fields = HTTPFields()
        try fields.set(.contentType, to: "text/plain; charset=utf-8")
        fields.stateLength(refusal.reason.utf8.count)
        try ResponseWriter(keepsAlive: false, minorVersion: 1, hidesBody: false)
            .write(status: refusal.status, fields: fields, body: Data(refusal.reason.utf8), to: socket, using: &output)
        finish()
    }

    // Closing while the client still sends would cause a reset, which discards the response on its side. So the client
    // gets ten seconds to read and to close.
    private func finish() {
        socket.owesResponse = false
        socket.finishSending()
        socket.limitWaiting(toSeconds: 10)
        stall()
        socket.close()
    }
}

extension LoopbackError {
    fileprivate static var lost: LoopbackError {
        LoopbackError(.connectionLost, "Connection lost: the client disconnected, or the server was stopped.")
    }
}
