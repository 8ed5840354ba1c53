import Foundation
import HTTPMessages

/// The state machine of one transfer, without session, threads and clock.
///
/// ```
/// submitted     -slotAwaited->              waiting for slot   (queue timeout)
/// any of them   -slotAcquired->             waiting for head   (response timeout, send timeout for a body)
/// waiting       -headReceived->             receiving body     (idle timeout)
/// receiving     -headReceived, not streamed-> receiving body   (a later head replaces the first)
/// receiving     -last declared byte, completed-> finished
/// any           -failure, cancelled, deadline-> finished
/// ```
/// The total timeout runs from the start, the idle timeout not while the engine's task is suspended. After `finished`,
/// every event is ignored.
struct TransferState {
    typealias Outcome = Result<HTTPResponse, TransportError>

    /// The actions for ``Transfer``, in this order.
    struct Actions {
        /// Send these to the observer.
        var events: [TransferEvent] = []
        /// Return this head to the caller of a streamed transfer.
        var head: HTTPResponseHead?
        /// Write this chunk to the pipe of a streamed transfer.
        var chunk: Data?
        /// Finish the transfer. The body of a streamed response is empty here.
        var outcome: Outcome?
        static let none = Actions()
    }

    private let request: HTTPRequest
    /// True when the body is streamed, without a size limit.
    private let isStreamed: Bool
    private let waitsForEnd: Bool
    private let submitted: Duration
    /// The start of the wait for a slot.
    private var awaited: Duration?
    private var lastActivity: Duration?
    private var sent: Int64 = 0
    /// The length of the body that the engine sends; nil if unknown.
    private var bodyLength: Int64?
    /// True once the engine has read a body of unknown length to its end.
    private var hasReadBody = false
    private var head: HTTPResponseHead?
    private var expected: Int64?
    private var received: Int64 = 0
    /// The times of the start in the engine, of the last sent byte, and of the head.
    private var (startTime, sentTime, headTime): (Duration?, Duration?, Duration?)
    private var body = Data()
    /// True while the engine's task is suspended, because the reader of a streamed response lags.
    private var isSuspended = false
    private(set) var isFinished = false

    var hasHead: Bool { head != nil }

    /// True between the head and the end of its body.
    ///
    /// A body of unknown length ends with ``completed()``.
    var hasIncompleteBody: Bool {
        guard let head, !isFinished, carriesBody(head) else { return false }
        return expected.map { received < $0 } ?? true
    }

    /// - Parameter waitsForEnd: true if the engine measures until its end.
    init(_ request: HTTPRequest, isStreamed: Bool = false, waitsForEnd: Bool = false, now: Duration) {
        self.request = request
        self.isStreamed = isStreamed
        self.waitsForEnd = waitsForEnd
        submitted = now
    }

    /// The time at which to call ``deadlineReached(now:)``, unless activity extends it.
    var deadline: Duration? {
        [nextExpiry?.time, request.options.timeouts.total.map { submitted + $0 }].compactMap(\.self).min()
    }

    /// The next timeout to expire, apart from the total one.
    private var nextExpiry: (phase: Timeouts.Phase, time: Duration)? {
        let timeouts = request.options.timeouts
        guard let lastActivity else {
            guard let awaited, let queue = timeouts.queue else { return nil }
            return (.queue, awaited + queue)
        }
        guard !isSuspended else { return nil }
        guard head == nil else { return timeouts.idle.map { (.idle, lastActivity + $0) } }
        if isSending, let send = timeouts.send, send <= timeouts.response ?? send {
            return (.send, lastActivity + send)
        }
        return timeouts.response.map { (.response, lastActivity + $0) }
    }

    /// True until the engine has sent the whole body, or read it if its length is unknown.
    private var isSending: Bool { bodyLength.map { sent < $0 } ?? !hasReadBody }

    /// Starts the queue timeout, unless the transfer has a slot already.
    mutating func slotAwaited(now: Duration) { awaited = now }

    /// Starts the response timeout.
    /// - Parameter bodyLength: the length of a body that was collected first; nil for that of the request.
    mutating func started(bodyLength: Int64? = nil, now: Duration) {
        self.bodyLength = bodyLength ?? request.body.length
        lastActivity = now
        startTime = now
    }

    /// Stops the idle timeout while the engine's task is suspended; it starts from zero when the task is resumed.
    mutating func setSuspended(_ isSuspended: Bool, now: Duration) {
        self.isSuspended = isSuspended
        lastActivity = now
    }

    /// Notes that the engine reads a body from its start, for the first time or again, or to its end.
    ///
    /// The engine may look for the end of a body of known length at any time after its last byte, which is no activity.
    mutating func bodyRead(toEnd isAtEnd: Bool, now: Duration) {
        hasReadBody = isAtEnd
        if !isAtEnd { sent = 0 }
        if !isAtEnd || bodyLength == nil { lastActivity = now }
    }

    /// Handles further bytes that the engine has sent.
    mutating func bodySent(_ count: Int64, now: Duration) -> Actions {
        guard !isFinished, count > 0 else { return .none }
        sent += count
        lastActivity = now
        sentTime = now
        return Actions(events: [.sentBytes(sent, total: request.body.length)])
    }

    /// Handles a response head.
    ///
    /// Interim heads (1xx) are ignored, and do not extend the response timeout; a switch of the protocol (101), which
    /// no request asks for, is an error. A second head replaces the first, unless the caller has the first already.
    /// - Parameter expected: the length of the decoded body, or nil if unknown.
    mutating func headReceived(_ head: HTTPResponseHead, expected: Int64?, now: Duration) -> Actions {
        guard !isFinished else { return .none }
        guard head.status.kind != .informational else {
            guard head.status.code == 101 else { return .none }
            let message = "Server switched protocols (101) without a request for it: \(request.origin.address)."
            return abort(error(.malformedResponse, message))
        }
        lastActivity = now
        headTime = now
        if isStreamed, self.head != nil {
            return abort(error(.malformedResponse, "Second response head received for one request."))
        }
        self.head = head
        self.expected = carriesBody(head) ? expected : nil
        received = 0
        body = Data()
        if isStreamed { return Actions(events: [.head(head)], head: head) }
        if let expected = self.expected, expected > Int64(request.options.maximumResponseBytes) { return tooLarge() }
        return Actions(events: [.head(head)])
    }

    mutating func bodyReceived(_ data: Data, now: Duration) -> Actions {
        guard !isFinished, let head else { return .none }
        lastActivity = now
        guard isStreamed || append(data) else { return tooLarge() }
        received += Int64(data.count)
        var actions = Actions()
        // The response is complete with the last declared byte (RFC 9112, section 6.3). Finish here, without waiting
        // for the engine's callback, unless the engine is still sending the request body.
        if !waitsForEnd, let expected, received == expected, sent == request.body.length ?? -1 {
            actions = finish(.success(HTTPResponse(head: head, body: body)))
        }
        actions.events = [.receivedBytes(received, total: expected)]
        if isStreamed { actions.chunk = data }
        return actions
    }

    /// Appends to the body in memory.
    /// - Returns: false when the body would exceed the limit.
    private mutating func append(_ data: Data) -> Bool {
        guard data.count <= request.options.maximumResponseBytes - body.count else { return false }
        if body.isEmpty {
            body = data
            // One chunk is the common case and needs no copy; for more, reserve the declared length.
            if let expected, expected > data.count { body.reserveCapacity(Int(min(expected, 16 << 20))) }
        } else {
            body.append(data)
        }
        return true
    }

    /// Finishes the transfer when the engine has completed without an error.
    mutating func completed() -> Actions {
        guard !isFinished else { return .none }
        guard let head else {
            let message = "Connection closed without a response: \(request.origin.address)."
            return finish(.failure(error(.malformedResponse, message)))
        }
        if let expected, received < expected {
            let message = "Response body truncated: \(received) of \(expected) bytes received."
            return finish(.failure(error(.truncated, message)))
        }
        return finish(.success(HTTPResponse(head: head, body: body)))
    }

    /// Fails the transfer.
    mutating func abort(_ failure: TransportError) -> Actions {
        isFinished ? .none : finish(.failure(failure))
    }

    mutating func cancelled() -> Actions { abort(error(.cancelled, "The call was cancelled.")) }

    /// Fails the transfer if a deadline has passed; otherwise ``deadline`` is the time of the next call.
    mutating func deadlineReached(now: Duration) -> Actions {
        guard !isFinished, let deadline, deadline <= now else { return .none }
        let timeouts = request.options.timeouts
        guard timeouts.total.map({ submitted + $0 <= now }) != true, let phase = nextExpiry?.phase else {
            let whole = (timeouts.wholeTotal ?? .zero).limitText
            return finish(.failure(timedOut(.total, "Timed out: the request did not finish within \(whole).")))
        }
        let limit = (timeouts[phase] ?? .zero).limitText
        return finish(.failure(timedOut(phase, "Timed out: \(problem(phase)) within \(limit).")))
    }

    private func problem(_ phase: Timeouts.Phase) -> String {
        switch phase {
        case .queue: "no free connection slot for \(request.origin.address)"
        case .connect: "no connection"
        case .send: "no further bytes of the request body were sent"
        case .response: "no response"
        case .idle: "no bytes of the response body"
        case .total: "the request did not finish"
        }
    }

    private mutating func finish(_ outcome: Outcome) -> Actions {
        isFinished = true
        body = Data()
        return Actions(outcome: outcome)
    }

    private mutating func tooLarge() -> Actions {
        let limit = request.options.maximumResponseBytes
        return finish(
            .failure(.responseTooLarge(limit: limit, request: request, head: head, bodyPrefix: body)))
    }

    private func timedOut(_ phase: Timeouts.Phase, _ message: String) -> TransportError {
        var error = error(.timedOut, message)
        error.phase = phase
        error.timeout = request.options.timeouts[phase]
        return error
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

    /// The measurements of the transfer; nil before it has started in the engine.
    ///
    /// The size of a decoded body says nothing about the bytes received, and then its length is unknown.
    func metrics(now: Duration) -> TransferMetrics? {
        guard let start = startTime else { return nil }
        return TransferMetrics(
            sent: sentTime.map { $0 - start }, firstByte: headTime.map { $0 - start }, total: now - start,
            bytesSent: sent, bytesReceived: head != nil && expected == nil ? nil : received)
    }

    private func carriesBody(_ head: HTTPResponseHead) -> Bool {
        request.method != .head && !head.status.hasNoContent
    }
}
