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
    private let compressor: MessageCompressor?
    private let ended = Promise<SocketEnd>()
    /// The time for the last frames to be written, after which the connection is closed.
    private static let lingering = Duration.seconds(1)
    /// The bytes of one write to the connection: a pong may be late while a slow network takes the pieces of a message.
    private static let pieceSize = 128 << 10

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
        compressor = deflater.map { MessageCompressor($0) }
        state = Mutex(
            Locked(
                machine: SocketState(sendLimit: options.sendBufferBytes),
                encoder: FrameEncoder(role: role, masks: generator)))
        // Inflation may take long: a few bytes become a message of many.
        let executor = compression == nil ? connection.executor : nil
        Task(executorPreference: executor) { [self] in await read(role, compression) }
        guard let interval = options.pingInterval, interval > .zero else { return }
        let pings = Task { [self] in await keepAlive(interval) }
        ended.whenFulfilled { _ in pings.cancel() }
    }

    var end: SocketEnd? { ended.current }

    // MARK: Receiving

    func next(isolation actor: isolated (any Actor)?) async throws -> WebSocketMessage? {
        // The channel delivers what waits without a look at the task.
        if Task.isCancelled { fail(.cancelled) }
        return try await channel.next(isolation: actor) { [self] in fail(.cancelled) }
    }

    private func read(_ role: WebSocketRole, _ compression: CompressionAgreement?) async {
        do {
            let inflater = try compression?.inflater(for: role)
            var decoder = FrameDecoder(role: role, limit: options.maximumMessageBytes, inflater: inflater)
            while let bytes = try await connection.read() {
                state.withLock { $0.machine.noteActivity() }
                decoder.supply(bytes)
                var count = 0
                while let event = try decoder.next() {
                    await handle(event)
                    if case .close = event { return }
                    // Many frames in few bytes let other work of the thread run.
                    count += 1
                    if count.isMultiple(of: 64) { await Task.yield() }
                }
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
                state.withLock { $0.machine.beginLagging() }
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
        let compressor = compressor.flatMap { $0.accepts(message) ? $0 : nil }
        while true {
            guard !Task.isCancelled else { throw WebSocketError.cancelled }
            var sending = state.withLock { locked in
                let sending = locked.machine.beginSending(compresses: compressor != nil)
                if sending.appends { locked.encoder.encode(message, compressed: nil, to: &locked.machine.outgoing) }
                return sending
            }
            if case .compress = sending, let compressor { sending = try compress(message, by: compressor) }
            switch sending {
            case .write:
                guard await flush() else { throw sendError }
                return
            case .queued, .compress: return
            case .wait(let room): await room.value { room.fulfill(()) }
            case .ended: throw sendError
            }
        }
    }

    /// Compresses a message, without the lock, and appends it.
    private func compress(
        _ message: WebSocketMessage, by compressor: MessageCompressor
    ) throws(WebSocketError) -> SocketState.Sending {
        let result = Result { () throws(WebSocketError) in try compressor.compress(message) }
        let bytes = try? result.get()
        let (sending, waiters) = state.withLock { locked in
            let (sending, waiters) = locked.machine.compressed(isValid: bytes != nil)
            if sending.appends { locked.encoder.encode(message, compressed: bytes, to: &locked.machine.outgoing) }
            return (sending, waiters)
        }
        for waiter in waiters { waiter.fulfill(()) }
        _ = try result.get()
        return sending
    }

    private var sendError: WebSocketError {
        switch ended.current {
        case .failure(let error): return error
        case nil: if let error = state.withLock({ $0.machine.writeError }) { return error }
        case .closure: break
        }
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
    /// - Returns: false if the connection takes no bytes.
    @discardableResult
    private func flush() async -> Bool {
        let (bytes, waiters) = state.withLock { $0.machine.take() }
        for waiter in waiters { waiter.fulfill(()) }
        do {
            try await write(bytes)
        } catch {
            let error = WebSocketError(.connectionLost, "Connection lost while sending.", underlying: error)
            switch state.withLock({ $0.machine.writeFailed(error) }) {
            case .lost(let waiters):
                for waiter in waiters { waiter.fulfill(()) }
                failWhenSilent(error)
            case .closing: fail(error)
            case .ended: connection.close()
            }
            return false
        }
        switch state.withLock({ $0.machine.written() }) {
        case .idle: break
        case .more: Task { [self] in await flush() }
        case .close: connection.close()
        }
        return true
    }

    /// Ends the socket when nothing more arrives: the peer may have sent messages and a close frame before.
    private func failWhenSilent(_ error: WebSocketError) {
        let activity = state.withLock { $0.machine.activityWithoutLag }
        _ = clock.schedule(at: clock.now + Self.lingering) { [self] in
            guard ended.current == nil else { return }
            let isSilent = activity != nil && state.withLock { $0.machine.activityWithoutLag == activity }
            if isSilent { fail(error) } else { failWhenSilent(error) }
        }
    }

    /// Writes bytes in pieces.
    ///
    /// Room for a further piece is a sign of life; room for the first one may be that of buffers.
    private func write(_ bytes: Data) async throws {
        var rest = bytes
        while rest.count > Self.pieceSize {
            try await connection.write(rest.prefix(Self.pieceSize))
            rest = rest.dropFirst(Self.pieceSize)
            state.withLock { $0.machine.noteActivity() }
        }
        if !rest.isEmpty { try await connection.write(rest) }
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

    /// Sends a ping in each interval, and ends the connection if it is silent from then until its timeout.
    ///
    /// It is silent if nothing arrives, and the network takes no piece of a long message.
    /// The pong may be late on a connection that is alive: it or its ping is behind a large message, and it is not read
    /// while the reader of messages lags.
    private func keepAlive(_ interval: Duration) async {
        while ended.current == nil {
            guard (try? await clock.sleep(until: clock.now + interval)) != nil else { return }
            guard let activity = state.withLock({ $0.machine.activityWithoutLag }) else { continue }
            do {
                _ = try await ping()
            } catch {
                // A socket that closes ends with the close frame of the peer, or by the timeout of `close`.
                let isSilent = state.withLock {
                    $0.machine.localClosure == nil && $0.machine.writeError == nil
                        && $0.machine.activityWithoutLag == activity
                }
                if isSilent, let error = error as? WebSocketError { fail(error) }
            }
        }
    }

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
        // A connection that ends while this side closes it has ended as wanted, regardless of the error.
        let (closure, writeError) = state.withLock { ($0.machine.localClosure, $0.machine.writeError) }
        let first = error.code == .connectionLost ? writeError ?? error : error
        finish(closure.map { .closure($0) } ?? .failure(first))
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
