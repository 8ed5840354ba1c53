import Coordination
import Foundation
import Synchronization
import Transport

/// A socket whose engine frames the messages itself: URLSession on Apple's platforms.
final class EngineSocket: SocketDriver {
    private let connection: any WebSocketConnection
    private let options: WebSocketOptions
    private let clock: AnyMonotonicClock
    private let ended = Promise<SocketEnd>()
    /// True once the reader has got the error of the end.
    private let hasThrown = Atomic(false)
    /// The closure that this side has begun.
    private let closing = Mutex<WebSocketClosure?>(nil)
    /// The number of messages that have arrived, and that of messages that the engine has not taken yet.
    private let traffic = Mutex((received: 0, sent: 0, unsent: 0))

    init(_ connection: any WebSocketConnection, _ options: WebSocketOptions, clock: AnyMonotonicClock) {
        self.connection = connection
        self.options = options
        self.clock = clock
        guard let interval = options.pingInterval, interval > .zero else { return }
        let pings = Task { [self] in await keepAlive(interval) }
        ended.whenFulfilled { _ in pings.cancel() }
    }

    var end: SocketEnd? { ended.current }

    func next(isolation actor: isolated (any Actor)?) async throws -> WebSocketMessage? {
        if let end = ended.current { return try result(of: end) }
        let received: Result<WebSocketConnectionMessage?, any Error>
        do {
            received = .success(
                try await withTaskCancellationHandler {
                    try await connection.receive()
                } onCancel: { [self] in
                    finish(.failure(.cancelled), code: .goingAway)
                })
        } catch {
            received = .failure(error)
        }
        switch received {
        case .success(.text(let text)): return try checked(.text(text))
        case .success(.binary(let data)): return try checked(.binary(data))
        case .success(nil), .failure: break
        }
        var cause: (any Error)?
        if case .failure(let error) = received { cause = error }
        finish(endOfConnection(cause))
        return try ended.current.flatMap { try result(of: $0) }
    }

    /// The end of the messages: the error once, then nil.
    private func result(of end: SocketEnd) throws -> WebSocketMessage? {
        if let error = end.error, !hasThrown.exchange(true, ordering: .relaxed) { throw error }
        return nil
    }

    private func checked(_ message: WebSocketMessage) throws -> WebSocketMessage? {
        traffic.withLock { $0.received += 1 }
        if message.byteCount > options.maximumMessageBytes {
            finish(.failure(.tooLarge(options.maximumMessageBytes)), code: .messageTooLarge)
        }
        // One that arrives after the end is dropped.
        guard let end = ended.current else { return message }
        return try result(of: end)
    }

    private func endOfConnection(_ error: (any Error)?) -> SocketEnd {
        if let closure = closing.withLock({ $0 }) { return .closure(closure) }
        if let (code, reason) = connection.closeCode {
            return .closure(
                WebSocketClosure(
                    code: WebSocketCloseCode(UInt16(clamping: code)), reason: String(decoding: reason, as: UTF8.self),
                    isLocal: false))
        }
        return .failure(
            WebSocketError(.connectionLost, "Connection lost: it ended without a close frame.", underlying: error))
    }

    func send(_ message: WebSocketMessage) async throws {
        guard !Task.isCancelled else { throw WebSocketError.cancelled }
        guard ended.current == nil, closing.withLock({ $0 == nil }) else { throw sendError }
        traffic.withLock { $0.unsent += 1 }
        defer { traffic.withLock { ($0.unsent, $0.sent) = ($0.unsent - 1, $0.sent + 1) } }
        do {
            switch message {
            case .text(let text): try await connection.send(.text(text))
            case .binary(let data): try await connection.send(.binary(data))
            }
        } catch {
            finish(endOfConnection(error))
            throw sendError
        }
    }

    private var sendError: WebSocketError {
        if case .failure(let error) = ended.current { return error }
        return WebSocketError(.closed, "The WebSocket is closed; open another one.")
    }

    func ping() async throws -> Duration {
        guard !Task.isCancelled else { throw WebSocketError.cancelled }
        guard ended.current == nil else { throw sendError }
        let start = clock.now
        let pong = Promise<Bool>()
        Task { [connection] in pong.fulfill((try? await connection.ping()) != nil) }
        let timer = clock.schedule(at: start + options.pingTimeout) { pong.fulfill(false) }
        let hasArrived = await pong.value { pong.fulfill(false) }
        timer.cancel()
        if hasArrived { return clock.now - start }
        guard !Task.isCancelled else { throw WebSocketError.cancelled }
        if ended.current != nil { throw sendError }
        throw WebSocketError(.pingTimedOut, "Timed out: no pong within \(options.pingTimeout).")
    }

    /// Sends a ping in each interval, and ends the connection if nothing arrives from then until its timeout.
    ///
    /// While a message is on its way to the network, the ping is behind it, and nothing tells how much has left: then
    /// the connection is lost after four such rounds.
    private func keepAlive(_ interval: Duration) async {
        var silentRounds = 0
        while ended.current == nil {
            guard (try? await clock.sleep(until: clock.now + interval)) != nil else { return }
            let before = traffic.withLock(\.self)
            do {
                _ = try await ping()
                silentRounds = 0
            } catch {
                let now = traffic.withLock(\.self)
                silentRounds = now.received == before.received && now.sent == before.sent ? silentRounds + 1 : 0
                let isSilent = silentRounds > (now.unsent == 0 ? 0 : 3)
                if isSilent, let error = error as? WebSocketError { finish(.failure(error), code: .goingAway) }
            }
        }
    }

    /// The engine tells only a reader that the peer has closed, so this side reads on for it.
    func close(_ code: WebSocketCloseCode, reason: String) async {
        guard ended.current == nil else { return }
        let closure = WebSocketClosure(code: code, reason: reason, isLocal: true)
        closing.withLock { $0 = $0 ?? closure }
        connection.close(code: Int(code.rawValue), reason: reason.closeReason)
        finish(.closure(closure), code: nil)
    }

    func abandon() { finish(.closure(WebSocketClosure(code: .goingAway, isLocal: true)), code: .goingAway) }

    /// Ends the socket, once.
    /// - Parameter code: sent to the peer; nil if the connection has ended, or was closed.
    private func finish(_ end: SocketEnd, code: WebSocketCloseCode? = nil) {
        guard ended.fulfill(end), let code else { return }
        connection.close(code: Int(code.rawValue), reason: Data())
    }
}
