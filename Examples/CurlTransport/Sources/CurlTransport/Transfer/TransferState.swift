import Foundation
import HTTPMessages
import Transport

/// The state machine of one transfer, without libcurl, threads and clock.
///
/// ```
/// queued    -started->                 waiting      (response timeout)
/// waiting   -restarted->               waiting      (the request is sent again)
/// waiting   -headReceived->            receiving    (idle timeout)
/// waiting   -networkEnded->            received
/// receiving -networkEnded->            received     (the reader may have to decode the rest)
/// any       -finish->                  finished
/// ```
/// The total timeout runs from the submission until the last byte has arrived from the network, and while the observer
/// gets its last events. The idle timeout does not run while the transfer is paused. The send timeout ends when the
/// system has all bytes of the body, and does not run while `100 (Continue)` is awaited.
///
/// Not copyable, since copies of a request and a head cost more than most events.
struct TransferState: ~Copyable {
    enum Phase {
        case queued
        case waiting
        case receiving
        case received
        case finished
    }

    let request: HTTPRequest
    /// True when the body is streamed, without a size limit.
    private let isStreamed: Bool
    private let submitted: Duration
    private(set) var phase = Phase.queued
    private var lastActivity = Duration.zero
    private(set) var head: HTTPResponseHead?
    /// The declared length of the decoded body, if known.
    private(set) var expected: Int64?
    /// Bytes of the request body that libcurl has read.
    private(set) var sent: Int64 = 0
    private var sentInSystem: Int64 = 0
    private var awaitsContinue = false
    /// True once the body has ended, for one without a declared length.
    private var hasBodyEnded = false
    /// True once the system has all bytes of the body.
    private var isBodySent = false
    private(set) var received: Int64 = 0
    private(set) var body = Data()
    /// True while the transfer is paused: the reader of a stream lags, or received bytes wait to be decoded.
    private var isPaused = false

    init(_ request: HTTPRequest, isStreamed: Bool, now: Duration) {
        self.request = request
        self.isStreamed = isStreamed
        submitted = now
    }

    /// The time at which to call ``expired(now:)``, unless activity extends it.
    var deadline: Duration? {
        let timeouts = request.options.timeouts
        let timeout: Duration? =
            switch phase {
            case .waiting: isLimitedBySend ? timeouts.send : timeouts.response
            case .receiving: isPaused ? nil : timeouts.idle
            case .queued: timeouts.queue
            case .received, .finished: nil
            }
        let total = phase == .received ? nil : timeouts.total.map { submitted + $0 }
        guard let timeout else { return total }
        let time = (phase == .queued ? submitted : lastActivity) + timeout
        return total.map { min($0, time) } ?? time
    }

    /// Returns the error of an expired timeout; nil before ``deadline``, which activity may have extended.
    func expired(now: Duration) -> TransportError? {
        guard let deadline, deadline <= now else { return nil }
        let timeouts = request.options.timeouts
        if let total = timeouts.total, submitted + total <= now {
            let whole = timeouts.wholeTotal ?? total
            return timedOut(.total, "Timed out: the request did not finish within \(whole).")
        }
        switch phase {
        case .queued:
            return timedOut(.queue, "Timed out: no free connection slot within \(timeouts.queue ?? .zero).")
        case .waiting where isLimitedBySend:
            return timedOut(
                .send, "Timed out: no further bytes of the request body were sent within \(timeouts.send ?? .zero).")
        case .waiting:
            return timedOut(.response, "Timed out: no response within \(timeouts.response ?? .zero).")
        default:
            return timedOut(.idle, "Timed out: no bytes of the response body within \(timeouts.idle ?? .zero).")
        }
    }

    /// True while the body is sent, and its timeout is the shorter one.
    private var isLimitedBySend: Bool {
        let timeouts = request.options.timeouts
        guard let send = timeouts.send, send <= timeouts.response ?? send else { return false }
        return !request.body.isEmpty && !awaitsContinue && !isBodySent
    }

    /// Starts the response timeout, and the send timeout for a body.
    mutating func started(awaitsContinue: Bool = false, now: Duration) {
        phase = .waiting
        self.awaitsContinue = awaitsContinue
        lastActivity = now
    }

    /// Restarts the send timeout: the request is sent now.
    mutating func connected(now: Duration) {
        if isLimitedBySend { lastActivity = now }
    }

    /// Ends the wait for `100 (Continue)`: libcurl sends the body.
    /// - Returns: true if it was awaited, so that ``deadline`` may be earlier now.
    mutating func bodyRequested(now: Duration) -> Bool {
        guard awaitsContinue else { return false }
        awaitsContinue = false
        lastActivity = now
        return true
    }

    /// Notes the end of the body.
    mutating func bodyEnded() { hasBodyEnded = true }

    /// Restarts the timeout: a layer holds the body back.
    mutating func bodyHeld(now: Duration) { lastActivity = now }

    /// Notes how many bytes of the body the system has.
    ///
    /// With all of them, the response timeout runs from the last activity. libcurl counts the framing of chunks too, so
    /// that the end of a chunked body may be noted while its last bytes are on their way.
    mutating func bodySent(inSystem count: Int64, now: Duration) {
        guard isLimitedBySend else { return }
        // A body with trailers is sent in chunks, though its length is known.
        let length = request.options.trailers == nil ? request.body.length : nil
        let isEnd = length.map { count >= $0 } ?? (hasBodyEnded && count >= sent)
        if isEnd {
            isBodySent = true
        } else if count > sentInSystem {
            lastActivity = now
        }
        sentInSystem = count
    }

    mutating func bodySent(_ count: Int, now: Duration) {
        sent += Int64(count)
        lastActivity = now
    }

    /// Resets the counter of sent bytes, since the request is sent again over another connection.
    mutating func restarted(awaitsContinue: Bool = false, now: Duration) {
        self.awaitsContinue = awaitsContinue
        (sent, sentInSystem) = (0, 0)
        (hasBodyEnded, isBodySent) = (false, false)
        lastActivity = now
    }

    /// Handles the head of the response.
    /// - Parameter length: the declared length of the body; nil if it has none, or is decoded.
    /// - Returns: the error when the declared length exceeds the limit.
    mutating func headReceived(_ head: HTTPResponseHead, length: Int64?, now: Duration) -> TransportError? {
        self.head = head
        phase = .receiving
        lastActivity = now
        expected = length
        guard !isStreamed, let length else { return nil }
        guard length <= Int64(request.options.maximumResponseBytes) else { return tooLarge }
        body.reserveCapacity(Int(min(length, 1 << 20)))
        return nil
    }

    /// Extends the idle timeout.
    mutating func bytesArrived(now: Duration) { lastActivity = now }

    /// Stops the idle timeout; it starts from zero when the transfer continues.
    mutating func setPaused(_ isPaused: Bool, now: Duration) {
        self.isPaused = isPaused
        lastActivity = now
    }

    /// Handles decoded bytes of the body; a buffered one is collected.
    /// - Returns: the error when the body exceeds the limit.
    mutating func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> TransportError? {
        if !isStreamed {
            guard bytes.count <= request.options.maximumResponseBytes - body.count else { return tooLarge }
            body.append(contentsOf: bytes)
        }
        received += Int64(bytes.count)
        return nil
    }

    /// Stops the timeouts.
    mutating func networkEnded() { phase = .received }

    /// Ends the transfer.
    /// - Returns: the response; the body of a streamed one is empty.
    mutating func finish() -> HTTPResponse? {
        phase = .finished
        defer { body = Data() }
        guard let head = head.take() else { return nil }
        return HTTPResponse(head: head, body: body)
    }

    func carriesBody(_ head: HTTPResponseHead) -> Bool {
        request.method != .head && head.status != .noContent && head.status != .notModified
    }

    /// Creates an error with the request, the head and the start of the body received so far.
    func error(
        _ code: TransportError.Code, _ message: String, tlsFailure: TransportError.TLSFailure? = nil,
        underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            code, message, request: request, tlsFailure: tlsFailure, head: head, bodyPrefix: body,
            underlying: underlying)
    }

    func timedOut(_ phase: Timeouts.Phase, _ message: String, underlying: (any Error)? = nil) -> TransportError {
        var error = error(.timedOut, message, underlying: underlying)
        error.phase = phase
        error.timeout = request.options.timeouts[phase]
        return error
    }

    private var tooLarge: TransportError {
        .responseTooLarge(
            limit: request.options.maximumResponseBytes, request: request, head: head, bodyPrefix: body)
    }
}
