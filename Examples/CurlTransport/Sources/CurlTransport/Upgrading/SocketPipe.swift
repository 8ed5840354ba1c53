import CCurl
import Foundation
import Synchronization
import Transport

/// The bytes between the event thread and the tasks that read and write a connection.
///
/// ```
/// open  -endWriting-> open    (writers get an error, the reader goes on)
/// open  -finish->     ended   (the bytes that have arrived are read first)
/// open  -close->      closed  (the reader gets an error)
/// ```
final class SocketPipe: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>
    private struct State {
        var incoming = Data()
        var outgoing = Data()
        /// The socket, if tasks may send to it: one without TLS, until the event thread closes it.
        var socket: CInt?
        /// The bytes that the event thread has taken and not sent.
        var inFlight = 0
        /// The end: nil for that of the peer.
        var end: Result<Void, TransportError>?
        /// The error of further writes, before there is an end.
        var writingError: TransportError?
        var isClosed = false
        /// True while the thread waits until bytes are read.
        var isFull = false
        /// True while the thread knows that there are bytes to send.
        var isAnnounced = false
        var reader: Waiter?
        var writers: [Int: Waiter] = [:]
        var writerCount = 0

        var unsent: Int { outgoing.count + inFlight }
        /// True if a writer waits for the network.
        var mustWait: Bool { unsent > SocketPipe.sendLimit && end == nil && writingError == nil }

        /// Appends bytes for the event thread, after what the socket takes at once.
        mutating func send(_ bytes: Data) {
            var rest = bytes
            // The event thread finds an error again, and reports it.
            if let socket, unsent == 0,
                case let count = bytes.withUnsafeBytes({ ccurl_send_now(socket, $0.baseAddress, $0.count) }), count > 0
            {
                rest = bytes.dropFirst(count)
            }
            // An empty rest would keep all bytes.
            if rest.isEmpty { return }
            if outgoing.isEmpty { outgoing = rest } else { outgoing.append(rest) }
        }
    }

    /// What a task has to tell the event thread.
    enum Notice {
        case read
        case write
    }

    /// The number of bytes that wait for the reader at which the connection is read no further.
    static let receiveLimit = 256 << 10
    /// The number of bytes that wait for the network at which writers wait.
    static let sendLimit = 256 << 10

    private let state = Mutex(State())

    // MARK: Tasks

    /// Takes the bytes that have arrived, and waits for some.
    func read(_ notify: @Sendable (Notice) -> Void) async throws(TransportError) -> Data? {
        while true {
            let (bytes, end, mustContinue) = state.withLock { state in
                defer { state.incoming = Data() }
                let isFull = state.isFull
                state.isFull = false
                return (state.incoming, state.isClosed ? .failure(Self.closed) : state.end, isFull)
            }
            if mustContinue { notify(.read) }
            if !bytes.isEmpty { return bytes }
            if let end {
                try end.get()
                return nil
            }
            if Task.isCancelled { throw TransportError(.cancelled, "The call was cancelled.") }
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: Waiter) in
                    let isReady = state.withLock { state in
                        // The handler has found no reader if it was called before.
                        guard state.incoming.isEmpty, state.end == nil, !Task.isCancelled else { return true }
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.reader.take() }?.resume()
            }
        }
    }

    /// Gives back bytes, which are read next.
    func unread(_ bytes: Data) {
        if !bytes.isEmpty { state.withLock { $0.incoming = bytes + $0.incoming } }
    }

    /// Sends bytes, or adds them to those that wait for the event thread, and waits while there are too many.
    func write(_ bytes: Data, _ notify: @Sendable (Notice) -> Void) async throws(TransportError) {
        let (end, mustAnnounce) = state.withLock { state -> (Result<Void, TransportError>?, Bool) in
            if let end = state.writingError.map(Result.failure) ?? state.end { return (end, false) }
            state.send(bytes)
            guard !state.outgoing.isEmpty, !state.isAnnounced else { return (nil, false) }
            state.isAnnounced = true
            return (nil, true)
        }
        if let end {
            try end.get()
            throw Self.lost
        }
        if mustAnnounce { notify(.write) }
        guard
            let number = state.withLock({ state -> Int? in
                guard state.mustWait else { return nil }
                state.writerCount += 1
                return state.writerCount
            })
        else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let isReady = state.withLock { state in
                    guard state.mustWait, !Task.isCancelled else { return true }
                    state.writers[number] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.writers.removeValue(forKey: number) }?.resume()
        }
        if let error = state.withLock({ $0.writingError }) { throw error }
    }

    /// Ends the pipe from the side of the tasks.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return Self.end(&state, .failure(Self.closed))
        }
        for waiter in waiters { waiter.resume() }
    }

    static let closed = TransportError(.cancelled, "The call was cancelled: the connection was closed.")
    private static let lost = TransportError(.connectionLost, "Connection lost: the peer has closed it.")

    // MARK: Event thread

    /// Lets tasks send to a socket without TLS themselves; nil before it is closed.
    func setSocket(_ socket: CInt?) { state.withLock { $0.socket = socket } }

    /// Room for further bytes; 0 while the reader lags, which then announces itself.
    func room() -> Int {
        state.withLock { state in
            let room = max(Self.receiveLimit - state.incoming.count, 0)
            state.isFull = room == 0
            return room
        }
    }

    /// Adds bytes that have arrived.
    func received(_ bytes: UnsafeRawBufferPointer) {
        let reader = state.withLock { state in
            state.incoming.append(contentsOf: bytes)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Takes the bytes to send; nil if there are none, then the next ones are announced.
    func takeOutgoing() -> Data? {
        state.withLock { state in
            guard !state.outgoing.isEmpty else {
                state.isAnnounced = false
                return nil
            }
            state.inFlight = state.outgoing.count
            defer { state.outgoing = Data() }
            return state.outgoing
        }
    }

    /// Notes that bytes were sent.
    func sent(_ count: Int) {
        let writers = state.withLock { state -> [Waiter] in
            state.inFlight -= count
            guard state.unsent <= Self.sendLimit, !state.writers.isEmpty else { return [] }
            defer { state.writers = [:] }
            return Array(state.writers.values)
        }
        for writer in writers { writer.resume() }
    }

    /// Ends the writers: the network takes no more bytes.
    func endWriting(_ error: TransportError) {
        let writers = state.withLock { state in
            state.writingError = error
            (state.outgoing, state.inFlight) = (Data(), 0)
            defer { state.writers = [:] }
            return Array(state.writers.values)
        }
        for writer in writers { writer.resume() }
    }

    /// Ends the pipe: success for the end of the peer.
    func finish(_ result: Result<Void, TransportError>) {
        for waiter in state.withLock({ Self.end(&$0, result) }) { waiter.resume() }
    }

    private static func end(_ state: inout State, _ result: Result<Void, TransportError>) -> [Waiter] {
        if state.end == nil { state.end = result }
        defer { state.writers = [:] }
        return [state.reader.take()].compactMap(\.self) + state.writers.values
    }
}
