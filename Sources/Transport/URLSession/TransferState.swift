import Foundation
import HTTPMessages

/// One transfer as a state machine: takes what happens, says what to do. It knows no session, no thread and no clock.
struct TransferState {
    typealias Outcome = Result<HTTPResponse, TransportError>

    /// What the transfer's shell has to do, in this order.
    struct Actions {
        var events: [TransferEvent] = []
        /// Give this to the caller, who takes the body as it comes.
        var head: HTTPResponseHead?
        /// Pass this on, as the next part of that body.
        var chunk: Data?
        /// The transfer is over. Of a streamed body the caller has each byte already, so here it is empty.
        var outcome: Outcome?
        static let none = Actions()
    }

    private let request: HTTPRequest
    /// The caller takes the body as it comes, and of any length.
    private let isStreamed: Bool
    private let submitted: Duration
    private var lastActivity: Duration?
    private var sent: Int64 = 0
    private var head: HTTPResponseHead?
    private var expected: Int64?
    private var received: Int64 = 0
    private var body = Data()
    private(set) var isFinished = false

    var hasHead: Bool { head != nil }

    /// True when there is a head, and its body has not come to its end yet. A body of unknown length ends with
    /// ``completed()`` only.
    var hasIncompleteBody: Bool {
        guard let head, !isFinished, carriesBody(head) else { return false }
        return expected.map { received < $0 } ?? true
    }

    init(_ request: HTTPRequest, isStreamed: Bool = false, now: Duration) {
        self.request = request
        self.isStreamed = isStreamed
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

    /// A head has come. An interim one (1xx) is no answer; a second one replaces the first, unless the caller has that.
    /// - Parameter expected: the length of the body, or nil when it is not known or is not that of the decoded bytes.
    mutating func headReceived(_ head: HTTPResponseHead, expected: Int64?, now: Duration) -> Actions {
        guard !isFinished else { return .none }
        lastActivity = now
        guard head.status.kind != .informational else { return .none }
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
        guard isStreamed || keep(data) else { return tooLarge() }
        received += Int64(data.count)
        var actions = Actions()
        // With the last byte that was announced the response is whole (RFC 9112, section 6.3). The caller can go on while
        // the engine tidies up, unless it still has something to send.
        if let expected, received == expected, sent == request.body.length ?? -1 {
            actions = finish(.success(HTTPResponse(head: head, body: body)))
        }
        actions.events = [.received(received, of: expected)]
        if isStreamed { actions.chunk = data }
        return actions
    }

    /// Adds to the body in memory.
    /// - Returns: false when that would be too much.
    private mutating func keep(_ data: Data) -> Bool {
        guard data.count <= request.options.maximumResponseBytes - body.count else { return false }
        if body.isEmpty {
            body = data
            // One chunk is the common case; more than one is worth a buffer of the right size.
            if let expected, expected > data.count { body.reserveCapacity(Int(min(expected, 16 << 20))) }
        } else {
            body.append(data)
        }
        return true
    }

    /// The engine is done.
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
            return finish(.failure(timedOut(.total, "Timed out: the request did not finish within \(total).")))
        }
        let message =
            head == nil
            ? "Timed out: no response within \(timeouts.response ?? .zero)."
            : "Timed out: no bytes of the response body within \(timeouts.idle ?? .zero)."
        return finish(.failure(timedOut(head == nil ? .response : .idle, message)))
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
