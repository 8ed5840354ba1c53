public import Foundation
import HTTPMessages

/// A connection whose every byte a test decides on.
///
/// Its calls wait on the thread that belongs to this connection, so they block nobody else. All of them fail with
/// ``LoopbackError`` (`connectionLost`) once the client is gone or the server is stopped.
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
    /// Which connection it is, counted from 0 in the order in which they were made.
    public let number: Int
    let socket: Socket
    private let log: RequestLog
    private let origin: String
    private var reader: RequestReader<Socket>
    private var output: [UInt8] = []

    init(number: Int, socket: Socket, log: RequestLog, origin: String, limits: LoopbackServer.Limits) {
        self.number = number
        self.socket = socket
        self.log = log
        self.origin = origin
        reader = RequestReader(source: socket, limits: limits)
    }

    /// Waits for the next request with all of its body, and records it. A client that waits for `100 Continue` gets it.
    /// - Parameter readsBody: false leaves the body unread; take it with ``receive()``.
    /// - Returns: nil when the client has closed the connection instead.
    /// - Throws: ``LoopbackError`` (`connectionLost`, or `refusedRequest` when it is no request).
    public func receiveRequest(readsBody: Bool = true) throws(LoopbackError) -> RecordedRequest? {
        do {
            return try next(readsBody: readsBody)
        } catch let refusal as Refusal {
            throw LoopbackError(.refusedRequest, refusal.reason)
        } catch {
            throw .lost
        }
    }

    /// Waits for bytes, whatever they are.
    /// - Returns: nil when the client has closed the connection.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func receive() throws(LoopbackError) -> Data? {
        do { return try reader.readSome() } catch { throw .lost }
    }

    /// Waits until the client closes the connection or the server is stopped, and answers nothing.
    public func stall() {
        while let bytes = try? reader.readSome(), !bytes.isEmpty {}
    }

    /// Sends bytes as they are.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(_ bytes: Data) throws(LoopbackError) {
        do { try socket.write(bytes) } catch { throw .lost }
    }

    /// Sends a text as it is, in UTF-8.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(_ text: String) throws(LoopbackError) { try send(Data(text.utf8)) }

    /// Sends one piece of a chunked body; an empty one ends it.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    public func send(chunk: Data) throws(LoopbackError) {
        try send(Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8))
    }

    /// Answers a request the way a server does.
    /// - Returns: true when the connection stays open for the next request.
    /// - Throws: ``LoopbackError`` (`connectionLost`).
    @discardableResult
    public func answer(
        _ received: RecordedRequest, with service: some HTTPService
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

    /// What a service answers; nil when it was no request, which was answered here and ended the connection.
    func response(to received: RecordedRequest, by service: some HTTPService) async -> HTTPResponse? {
        do {
            return await service.answer(try received.request(origin: origin))
        } catch {
            try? refuse(Refusal(400, error.message))
            return nil
        }
    }

    /// Closes the connection. The client sees an orderly end, unless it sent something that was not received here.
    public func close() { socket.close() }

    /// Breaks the connection off; the client sees a reset.
    public func reset() {
        socket.resetWhenClosed()
        socket.close()
    }

    /// Answers requests until the connection ends.
    func serve(_ answer: (RecordedRequest) async throws -> Bool) async {
        do {
            while let received = try next(readsBody: true), try await answer(received) {}
        } catch let refusal as Refusal {
            try? refuse(refusal)
        } catch {
            // There is nobody left to tell.
        }
    }

    private func next(readsBody: Bool) throws -> RecordedRequest? {
        socket.owesResponse = false
        guard let (head, bytes) = try reader.readHead() else { return nil }
        socket.owesResponse = true
        var body = (bytes: Data(), trailers: Data())
        if readsBody {
            if case .length(let length) = head.framing { try reader.checkBody(length) }
            if head.expectsContinue, !reader.hasRest { try send("HTTP/1.1 100 Continue\r\n\r\n") }
            body = try reader.readBody(head.framing)
        }
        return log.record(
            RecordedRequest(
                connection: number, method: head.method, target: head.target, fields: head.fields, body: body.bytes,
                head: bytes, trailers: body.trailers, hasBody: head.framing != .none, keepsAlive: head.keepsAlive,
                minorVersion: head.minorVersion))
    }

    private func refuse(_ refusal: Refusal) throws {
        var fields = HTTPFields()
        try fields.set(.contentType, to: "text/plain; charset=utf-8")
        fields.stateLength(refusal.reason.utf8.count)
        try ResponseWriter(keepsAlive: false, minorVersion: 1, hidesBody: false)
            .write(status: refusal.status, fields: fields, body: Data(refusal.reason.utf8), to: socket, using: &output)
        finish()
    }

    // Closing at once would send a reset while the client still sends, and the reset would destroy the response. So
    // the client gets time to read and to close.
    private func finish() {
        socket.owesResponse = false
        socket.finishSending()
        socket.limitWaiting(toSeconds: 1)
        stall()
        socket.close()
    }
}

extension LoopbackError {
    fileprivate static var lost: LoopbackError {
        LoopbackError(.connectionLost, "The client has closed the connection, or the server was stopped.")
    }
}
