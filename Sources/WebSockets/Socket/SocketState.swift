import Coordination
import Foundation

/// The state machine of a socket's sending side and of its end, without I/O.
///
/// ```
/// open    -closing->        closing
/// open    -end->            ended
/// closing -end->            ended
///
/// free        -beginSending(compresses)->  compressing (the senders of other such messages wait)
/// compressing -compressed->                free
///
/// idle    -beginSending, claimWriter->   writing
/// writing -written, frames wait->        writing (more)
/// writing -written->                     idle, or close after the end
/// writing -writeFailed->                 idle, and nothing is sent any more
/// ```
struct SocketState {
    private enum Phase {
        case open
        case closing(WebSocketClosure)
        case ended
    }
    /// What a sender does.
    enum Sending {
        /// Compresses the message, then calls ``SocketState/compressed()``.
        case compress
        /// Writes what waits.
        case write
        /// Leaves its frame to the sender that writes.
        case queued
        /// Waits for room, then asks again.
        case wait(Promise<Void>)
        /// Fails.
        case ended

        /// True if the message is to be appended.
        var appends: Bool {
            switch self {
            case .write, .queued: true
            case .compress, .wait, .ended: false
            }
        }
    }
    /// What follows a failed write.
    enum WriteFailure {
        /// The reader goes on to what has arrived before, and these senders fail.
        case lost([Promise<Void>])
        /// The socket fails: this side closes.
        case closing
        /// The connection is to be closed: the socket has ended.
        case ended
    }
    /// What follows a write.
    enum Written {
        case idle
        case more
        /// The connection is to be closed.
        case close
    }
    private struct Ping {
        let payload: Data
        let pong: Promise<Bool>
    }

    private let sendLimit: Int
    private var phase = Phase.open
    private var hasSentClose = false
    private var isWriting = false
    /// The error of a write, after which nothing is sent.
    private(set) var writeError: WebSocketError?
    private var isCompressing = false
    private var waiters: [Promise<Void>] = []
    private var pings: [Ping] = []
    private var pingCount: UInt64 = 0
    /// Frames that wait for the writer.
    var outgoing = Data()
    /// True while the reader of messages lags, so that nothing is read.
    var isLagging = false
    /// The number of signs of life.
    ///
    /// Bytes have arrived, a piece of a long write was taken, or the reader began to lag.
    private var activity: UInt64 = 0

    init(sendLimit: Int) { self.sendLimit = max(sendLimit, 1) }

    private var isOpen: Bool { if case .open = phase { !hasSentClose && writeError == nil } else { false } }
    private var hasEnded: Bool { if case .ended = phase { true } else { false } }

    // MARK: Sending

    /// Asks to append a message.
    /// - Parameter compresses: true for a message to compress, of which there is one at a time.
    mutating func beginSending(compresses: Bool) -> Sending {
        guard isOpen else { return .ended }
        guard outgoing.count < sendLimit, !(compresses && isCompressing) else {
            let room = Promise<Void>()
            waiters.append(room)
            return .wait(room)
        }
        guard !compresses else {
            isCompressing = true
            return .compress
        }
        return claimWriter() ? .write : .queued
    }

    /// Notes that a message is compressed, or cannot be.
    /// - Parameter isValid: true if it is to be appended.
    /// - Returns: what the sender does, and the senders that may continue.
    mutating func compressed(isValid: Bool) -> (sending: Sending, waiters: [Promise<Void>]) {
        isCompressing = false
        defer { waiters = [] }
        guard isValid, isOpen else { return (.ended, waiters) }
        return (claimWriter() ? .write : .queued, waiters)
    }

    /// Asks to append a control frame.
    /// - Parameter isLast: true for a close frame, after which there are none.
    mutating func maySendControl(isLast: Bool) -> Bool {
        guard !hasSentClose, !hasEnded, writeError == nil else { return false }
        if isLast { hasSentClose = true }
        // A peer that sends pings and reads no pongs gets those that there is room for.
        return isLast || outgoing.count / 2 < sendLimit
    }

    /// - Returns: false if there is a writer.
    mutating func claimWriter() -> Bool {
        guard !isWriting else { return false }
        isWriting = true
        return true
    }

    /// Takes the frames to write, and the senders that may continue.
    mutating func take() -> (bytes: Data, waiters: [Promise<Void>]) {
        defer { (outgoing, waiters) = (Data(), []) }
        return (outgoing, waiters)
    }

    /// Notes that the frames were written.
    mutating func written() -> Written {
        if !outgoing.isEmpty { return .more }
        isWriting = false
        return hasEnded ? .close : .idle
    }

    /// Notes that the connection takes no bytes.
    mutating func writeFailed(_ error: WebSocketError) -> WriteFailure {
        isWriting = false
        outgoing = Data()
        writeError = error
        switch phase {
        case .open:
            defer { waiters = [] }
            return .lost(waiters)
        case .closing: return .closing
        case .ended: return .ended
        }
    }

    // MARK: Activity

    /// Notes that bytes have arrived, or that the network has taken a piece of a long write.
    mutating func noteActivity() { activity += 1 }

    mutating func beginLagging() {
        isLagging = true
        noteActivity()
    }

    /// A number that stays the same while nothing arrives though it would be read; nil while the reader lags.
    var activityWithoutLag: UInt64? { isLagging ? nil : activity }

    // MARK: Pings

    /// The payload of a new ping; nil once the socket closes.
    mutating func pingSent(_ pong: Promise<Bool>) -> Data? {
        guard isOpen else { return nil }
        pingCount += 1
        let payload = withUnsafeBytes(of: pingCount.bigEndian) { Data($0) }
        pings.append(Ping(payload: payload, pong: pong))
        return payload
    }

    /// The pings that a pong answers: its own and the earlier ones (RFC 6455, section 5.5.3).
    mutating func pongReceived(_ payload: Data) -> [Promise<Bool>] {
        guard let index = pings.firstIndex(where: { $0.payload == payload }) else { return [] }
        defer { pings.removeFirst(index + 1) }
        return pings[...index].map(\.pong)
    }

    mutating func forgetPing(_ payload: Data) { pings.removeAll { $0.payload == payload } }

    // MARK: The end

    /// This side closes.
    /// - Returns: true if the close frame is to be sent.
    mutating func closing(_ code: WebSocketCloseCode, reason: String) -> Bool {
        guard case .open = phase else { return false }
        phase = .closing(WebSocketClosure(code: code, reason: reason, isLocal: true))
        return true
    }

    /// The closure that this side has begun.
    var localClosure: WebSocketClosure? { if case .closing(let closure) = phase { closure } else { nil } }

    /// The peer closes, or answers the close frame of this side.
    /// - Returns: nil after the end.
    func closeReceived(_ code: WebSocketCloseCode, reason: String) -> WebSocketClosure? {
        switch phase {
        case .open: WebSocketClosure(code: code, reason: reason, isLocal: false)
        case .closing(let closure): closure
        case .ended: nil
        }
    }

    /// Ends the socket.
    /// - Returns: what waits for it, and true if the caller is the writer now, and has to close the connection.
    mutating func end() -> (pings: [Promise<Bool>], waiters: [Promise<Void>], isWriter: Bool) {
        phase = .ended
        defer { (pings, waiters) = ([], []) }
        return (pings.map(\.pong), waiters, claimWriter())
    }
}
