import Foundation
import HTTPMessages

/// One transfer as a state machine: takes what happens, says what to do. It knows no session, no thread and no clock.
struct TransferState {
    typealias Outcome = Result<HTTPResponse, TransportError>

    /// What the transfer's shell has to do, in this order.
    struct Actions {
        var events: [TransferEvent] = []
        var outcome: Outcome?
        static let none = Actions()
    }

    private let request: HTTPRequest
    private let submitted: Duration
    private var lastActivity: Duration?
    private var sent: Int64 = 0
    private var head: HTTPResponseHead?
    private var expected: Int64?
    private var body = Data()
    private(set) var isFinished = false

    var hasHead: Bool { head != nil }

    init(_ request: HTTPRequest, now: Duration) {
        self.request = request
        submitted = now
    }

    /// The moment at which ``deadlineReached(now:)`` has to be asked, if no more happens until then.
    var deadline: Duration? {
        let timeouts = request.options.timeouts
        let waiting = lastActivity.flatMap { last in (head == nil ? timeouts.response : timeouts.idle).map { last + $0 }
        }
        return [waiting, timeouts.total.map { submitted + $0 }].compactMap(\.self).min()
    }

    /// The engine has begun.
    mutating func started(now: Duration) { lastActivity = now }

    mutating func bodySent(_ count: Int64, now: Duration) -> Actions {
        guard !isFinished, count > sent else { return .none }
        sent = count
        lastActivity = now
        return Actions(events: [.sent(count, of: request.body.length)])
    }

    /// A head has come. An interim one (1xx) is no answer; a second one replaces the first.
    /// - Parameter expected: the length of the body, or nil when it is not known or is not that of the decoded bytes.
    mutating func headReceived(_ head: HTTPResponseHead, expected: Int64?, now: Duration) -> Actions {
        guard !isFinished else { return .none }
        lastActivity = now
        guard head.status.kind != .informational else { return .none }
        self.head = head
        self.expected = carriesBody(head) ? expected : nil
        body = Data()
        if let expected = self.expected, expected > Int64(request.options.maximumResponseBytes) { return tooLarge() }
        return Actions(events: [.head(head)])
    }

    mutating func bodyReceived(_ data: Data, now: Duration) -> Actions {
        guard !isFinished, let head else { return .none }
        lastActivity = now
        guard data.count <= request.options.maximumResponseBytes - body.count else { return tooLarge() }
        if body.isEmpty {
            body = data
            // One chunk is the common case; more than one is worth a buffer of the right size.
            if let expected, expected > data.count { body.reserveCapacity(Int(min(expected, 16 << 20))) }
        } else {
            body.append(data)
        }
        let event = TransferEvent.received(Int64(body.count), of: expected)
        // With the last byte that was announced the response is whole (RFC 9112, section 6.3). The caller can go on while
        // the engine tidies up, unless it still has something to send.
        guard let expected, body.count == expected, sent == request.body.length ?? -1 else {
            return Actions(events: [event])
        }
        var actions = finish(.success(HTTPResponse(head: head, body: body)))
        actions.events = [event]
        return actions
    }

    /// The engine is done.
    mutating func completed() -> Actions {
        guard !isFinished else { return .none }
        guard let head else {
            return finish(.failure(error(.malformedResponse, "The server closed the connection without an answer.")))
        }
        if let expected, body.count < expected {
            return finish(.failure(error(.truncated, "Only \(body.count) of \(expected) bytes of the body came.")))
        }
        return finish(.success(HTTPResponse(head: head, body: body)))
    }

    /// Ends the transfer before the engine does.
    mutating func abort(_ failure: TransportError) -> Actions {
        isFinished ? .none : finish(.failure(failure))
    }

    mutating func cancelled() -> Actions { abort(error(.cancelled, "The call was cancelled.")) }

    /// Fails when a deadline has passed; else nothing happens and ``deadline`` says when to ask again.
    mutating func deadlineReached(now: Duration) -> Actions {
        guard !isFinished, let deadline, deadline <= now else { return .none }
        let timeouts = request.options.timeouts
        if let total = timeouts.total, submitted + total <= now {
            return finish(.failure(timedOut(.total, "The request was not done within \(total).")))
        }
        let message =
            head == nil
            ? "No response within \(timeouts.response ?? .zero)."
            : "The response's body paused for more than \(timeouts.idle ?? .zero)."
        return finish(.failure(timedOut(head == nil ? .response : .idle, message)))
    }

    private mutating func finish(_ outcome: Outcome) -> Actions {
        isFinished = true
        body = Data()
        return Actions(outcome: outcome)
    }

    private mutating func tooLarge() -> Actions {
        let limit = request.options.maximumResponseBytes
        return finish(.failure(error(.responseTooLarge, "The response's body is larger than \(limit) bytes.")))
    }

    private func timedOut(_ phase: Timeouts.Phase, _ message: String) -> TransportError {
        var error = error(.timedOut, message)
        error.phase = phase
        return error
    }

    /// An error that carries what is known so far.
    func error(
        _ code: TransportError.Code, _ message: String, tlsFailure: TransportError.TLSFailure? = nil,
        underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            code, message, request: request, tlsFailure: tlsFailure, head: head, bodyPrefix: body,
            underlying: underlying)
    }

    private func carriesBody(_ head: HTTPResponseHead) -> Bool {
        request.method != .head && !head.status.hasNoContent
    }
}
