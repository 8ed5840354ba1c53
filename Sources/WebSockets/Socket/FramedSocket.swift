import Coordination
import Foundation
import Synchronization
import Transport

/// A socket over bytes: the shell around ``FrameDecoder``, ``FrameEncoder`` and ``SocketState``.
///
/// One task reads the connection, and hands messages to the reader through a bounded channel: while that is full, the
/// connection is not read. A sender writes its frame itself; one that comes while another one writes leaves its frame
/// to it.
final class FramedSocket: SocketDriver {
    private struct Locked: ~Copyable {
        var machine: SocketState
        var encoder: FrameEncoder
    }

    private let connection: any UpgradedConnection
    private let options: WebSocketOptions
    private let clock: AnyMonotonicClock
    private let channel: Channel<WebSocketMessage>
    private let state: Mutex<Locked>
    private let ended = Promise<SocketEnd>()
    /// The time for the last frames to be written, after which the connection is closed.
    private static let lingering = Duration.seconds(1)

    init(
        _ connection: any UpgradedConnection, role: WebSocketRole, _ agreement: WebSocketHandshake.Agreement,
        _ options: WebSocketOptions, clock: AnyMonotonicClock,
        masks generator: any RandomNumberGenerator & Sendable
    ) throws(WebSocketError) {
        self.connection = connection
        self.options = options
        self.clock = clock
        channel = Channel(capacity: max(options.receiveBufferBytes, 1)) { $0.byteCount + 32 }
        let compression = agreement.compression
        let deflater = try compression?.deflater(for: role, minimumBytes: options.compression?.minimumBytes ?? 0)
        state = Mutex(
            Locked(
                machine: SocketState(sendLimit: options.sendBufferBytes),
                encoder: FrameEncoder(role: role, deflater: deflater, masks: generator)))
        Task { [self] in await read(role, compression) }
        guard let interval = options.pingInterval else { return }
        let pings = Task { [self] in await keepAlive(interval) }
        ended.whenFulfilled { _ in pings.cancel() }
    }

    var end: SocketEnd? { ended.current }

    // MARK: Receiving

    func next() async throws -> WebSocketMessage? {
        try await channel.next { [self] in fail(.cancelled) }
    }

    private func read(_ role: WebSocketRole, _ compression: CompressionAgreement?) async {
        do {
            let inflater = try compression?.inflater(for: role)
            var decoder = FrameDecoder(role: role, limit: options.maximumMessageBytes, inflater: inflater)
            while let bytes = try await connection.read() {
                decoder.supply(bytes)
                while let event = try decoder.next() { await handle(event) }
            }
            fail(WebSocketError(.connectionLost, "Connection lost: it ended without a close frame."))
        } catch let error as WebSocketError {
            fail(error)
        } catch {
            fail(WebSocketError(.connectionLost, "Connection lost while receiving.", underlying: error))
        }
    }

    private func handle(_ event: FrameEvent) async {
        switch event {
        case .message(let message):
            if !channel.hasRoom {
                state.withLock { $0.machine.isLagging = true }
                _ = await channel.room()
                state.withLock { $0.machine.isLagging = false }
            }
            channel.send(message)
        case .ping(let payload):
            write { $0.encoder.encodePong(payload, to: &$0.machine.outgoing) }
        case .pong(let payload):
            for pong in state.withLock({ $0.machine.pongReceived(payload) }) { pong.fulfill(true) }
        case .close(let code, let reason):
            guard let closure = state.withLock({ $0.machine.closeReceived(code, reason: reason) }) else { return }
            write(isLast: true) { $0.encoder.encodeClose(code, reason: "", to: &$0.machine.outgoing) }
            finish(.closure(closure))
        }
    }

    // MARK: Sending

    func send(_ message: WebSocketMessage) async throws {
        while true {
            guard !Task.isCancelled else { throw WebSocketError.cancelled }
            switch try state.withLock({ locked throws(WebSocketError) in try Self.append(message, to: &locked) }) {
            case .write: return await flush()
            case .queued: return
            case .wait(let room): await room.value { room.fulfill(()) }
            case .ended: throw sendError
            }
        }
    }

    private static func append(
        _ message: WebSocketMessage, to locked: inout Locked
    ) throws(WebSocketError) -> SocketState.Sending {
        let decision = locked.machine.beginSending()
        switch decision {
        case .write, .queued:
            do throws(WebSocketError) {
                try locked.encoder.encode(message, to: &locked.machine.outgoing)
            } catch {
                locked.machine.sendingFailed(decision)
                throw error
            }
        case .wait, .ended: break
        }
        return decision
    }

    private var sendError: WebSocketError {
        if case .failure(let error) = ended.current { return error }
        return WebSocketError(.closed, "The WebSocket is closed; open another one.")
    }

    /// Appends a control frame, which waits for no room.
    /// - Parameter isLast: true for a close frame, after which nothing is sent.
    private func write(isLast: Bool = false, _ encode: @Sendable (inout Locked) -> Void) {
        let isWriter = state.withLock { locked in
            guard locked.machine.maySendControl(isLast: isLast) else { return false }
            encode(&locked)
            return locked.machine.claimWriter()
        }
        if isWriter { Task { [self] in await flush() } }
    }

    /// Writes what waits. A further round, for the frames of others, is not on the sender's time.
    private func flush() async {
        let (bytes, waiters) = state.withLock { $0.machine.take() }
        for waiter in waiters { waiter.fulfill(()) }
        do {
            if !bytes.isEmpty { try await connection.write(bytes) }
        } catch {
            guard state.withLock({ $0.machine.writeFailed() }) else {
                return fail(WebSocketError(.connectionLost, "Connection lost while sending.", underlying: error))
            }
            return connection.close()
        }
        switch state.withLock({ $0.machine.written() }) {
        case .idle: return
        case .more: Task { [self] in await flush() }
        case .close: connection.close()
        }
    }

    // MARK: Pings

    func ping() async throws -> Duration {
        guard !Task.isCancelled else { throw WebSocketError.cancelled }
        let start = clock.now
        let pong = Promise<Bool>()
        guard let payload = state.withLock({ $0.machine.pingSent(pong) }) else { throw sendError }
        write { $0.encoder.encodePing(payload, to: &$0.machine.outgoing) }
        let timer = clock.schedule(at: start + options.pingTimeout) { pong.fulfill(false) }
        let hasArrived = await pong.value { pong.fulfill(false) }
        timer.cancel()
        state.withLock { $0.machine.forgetPing(payload) }
        if hasArrived { return clock.now - start }
        guard !Task.isCancelled else { throw WebSocketError.cancelled }
        if ended.current != nil { throw sendError }
        throw WebSocketError(.pingTimedOut, "Timed out: no pong within \(options.pingTimeout).")
    }

    /// Sends a ping in each interval, and ends the connection if its pong does not arrive.
    private func keepAlive(_ interval: Duration) async {
        while ended.current == nil {
            guard (try? await clock.sleep(until: clock.now + interval)) != nil else { return }
            guard !isLagging else { continue }
            do {
                _ = try await ping()
            } catch {
                // A reader that has stopped meanwhile keeps the pong from being read.
                if !isLagging, let error = error as? WebSocketError { fail(error) }
            }
        }
    }

    private var isLagging: Bool { state.withLock { $0.machine.isLagging } }

    // MARK: The end

    func close(_ code: WebSocketCloseCode, reason: String) async {
        if state.withLock({ $0.machine.closing(code, reason: reason) }) {
            channel.close()
            write(isLast: true) { $0.encoder.encodeClose(code, reason: reason, to: &$0.machine.outgoing) }
        }
        let timer = clock.schedule(at: clock.now + options.closeTimeout) { [self] in
            finish(.closure(WebSocketClosure(code: .abnormal, isLocal: true)), isForced: true)
        }
        _ = await ended.value
        timer.cancel()
    }

    func abandon() {
        guard ended.current == nil else { return }
        write(isLast: true) { $0.encoder.encodeClose(.goingAway, reason: "", to: &$0.machine.outgoing) }
        finish(.closure(WebSocketClosure(code: .goingAway, isLocal: true)))
    }

    private func fail(_ error: WebSocketError) {
        if let code = error.code == .cancelled ? .goingAway : error.closeCode {
            write(isLast: true) { $0.encoder.encodeClose(code, reason: "", to: &$0.machine.outgoing) }
        }
        // A connection that ends while this side closes it has ended as wanted.
        if error.code == .connectionLost, let closure = state.withLock({ $0.machine.localClosure }) {
            return finish(.closure(closure))
        }
        finish(.failure(error))
    }

    /// Ends the socket, once.
    /// - Parameter isForced: true to close the connection without waiting for the last frames.
    private func finish(_ end: SocketEnd, isForced: Bool = false) {
        guard ended.fulfill(end) else { return }
        let rest = state.withLock { $0.machine.end() }
        for pong in rest.pings { pong.fulfill(false) }
        for waiter in rest.waiters { waiter.fulfill(()) }
        channel.finish(end.error, dropsElements: end.error?.code == .cancelled)
        guard !isForced else { return connection.close() }
        if rest.isWriter { Task { [self] in await flush() } }
        // A peer that reads nothing does not keep the connection.
        _ = clock.schedule(at: clock.now + Self.lingering) { [connection] in connection.close() }
    }
}
