import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct RetryStateTests {
    private typealias Rule = Retry<UnsafeRetryClassifier, ConstantBackoff, AttemptLimit>

    private func state(
        total: Duration? = nil, backoff: Duration = .seconds(2), attempts: Int = 3, started: Duration = .seconds(100),
        body: HTTPBody = .empty
    ) throws -> RetryState<Rule> {
        RetryState(
            try request(.post, body: body, total: total),
            strategy: Retry(
                classifier: .any { $0.status != .notFound }, backoff: .constant(backoff),
                limiter: .attempts(attempts)),
            started: started)
    }

    private let broken = AttemptResult.Outcome.failure(TransportError(.connectionLost, "It broke."))

    private func outcome(_ status: HTTPStatus) throws -> AttemptResult.Outcome {
        .response(HTTPResponseHead(status: status, url: try URL(httpString: "http://h/")))
    }

    /// Ends an attempt at this second; returns the second at which the wait ends, or nil.
    private func wait(_ state: inout RetryState<Rule>, _ outcome: AttemptResult.Outcome, at second: Int) -> Int? {
        let action = state.attemptEnded(outcome, now: .seconds(second), date: someDate, random: 0.5)
        guard case .wait(let moment, _) = action else { return nil }
        return moment.map { Int($0.components.seconds) } ?? second
    }

    @Test func `waits and retries up to the limit`() throws {
        var state = try state()
        #expect(wait(&state, broken, at: 101) == 103)
        #expect(try state.nextRequest(now: .seconds(103)).options.timeouts.total == nil)
        #expect(wait(&state, try outcome(.badGateway), at: 104) == 106)
        #expect(wait(&state, broken, at: 107) == nil)
        let failure = TransportError.AttemptRecord.Cause.failure(.connectionLost, "It broke.")
        #expect(
            state.attempts == [
                .init(failure, backoff: .seconds(2)), .init(.status(.badGateway), backoff: .seconds(2)), .init(failure),
            ])
    }

    @Test func `the wait names the attempt before it`() throws {
        var state = try state()
        let action = state.attemptEnded(try outcome(.badGateway), now: .seconds(101), date: someDate, random: 0)
        #expect(action == .wait(until: .seconds(103), after: .init(.status(.badGateway), backoff: .seconds(2))))
        var hasty = try self.state(backoff: .seconds(-1))
        let next = hasty.attemptEnded(broken, now: .seconds(101), date: someDate, random: 0)
        #expect(
            next == .wait(until: nil, after: .init(.failure(.connectionLost, "It broke."), backoff: .zero)))
    }

    @Test func `a final or cancelled attempt ends the call`() throws {
        var state = try state()
        #expect(wait(&state, try outcome(.notFound), at: 101) == nil)
        #expect(wait(&state, .failure(TransportError(.cancelled, "x")), at: 101) == nil)
    }

    @Test func `a body that can be sent once is sent once`() throws {
        let chunks = AsyncStream<Data> { $0.finish() }
        var state = try state(body: .sequence([.text("x"), .stream(chunks)]))
        #expect(wait(&state, broken, at: 101) == nil)
        var other = try self.state(body: .sequence([.text("x"), .text("y")]))
        #expect(wait(&other, broken, at: 101) != nil)
    }

    /// The total deadline is 10 s after the start at 100, the wait 2 s.
    @Test(arguments: [(101, 103), (107, 109), (108, nil), (109, nil), (110, nil), (200, nil)] as [(Int, Int?)])
    func `no wait reaches the deadline`(end: Int, wakes: Int?) throws {
        var state = try state(total: .seconds(10))
        #expect(wait(&state, broken, at: end) == wakes)
    }

    @Test func `each attempt has the remaining time, at least some`() throws {
        var state = try state(total: .seconds(10))
        #expect(wait(&state, broken, at: 101) == 103)
        #expect(try state.nextRequest(now: .seconds(103)).options.timeouts.total == .seconds(7))
        // The wait ended late.
        #expect(try state.nextRequest(now: .milliseconds(109_999)).options.timeouts.total == .milliseconds(1))
        for second in [110, 200] {
            let error = #expect(throws: TransportError.self) { try state.nextRequest(now: .seconds(second)) }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.attempts == state.attempts)
        }
    }

    @Test func `a wait beyond the deadline takes no token`() throws {
        let budget = RetryBudget(capacity: 1, refill: 0)
        var state = RetryState(
            try request(total: .seconds(1)),
            strategy: Retry(classifier: .standard, backoff: .constant(.seconds(2)), limiter: budget), started: .zero)
        #expect(state.attemptEnded(broken, now: .zero, date: someDate, random: 0) == .finish)
        #expect(budget.tokens == 1)
    }

    @Test func `ends with the last outcome and all attempts`() throws {
        var state = try state(backoff: .zero)
        _ = wait(&state, try outcome(.badGateway), at: 101)
        _ = wait(&state, broken, at: 101)
        let error = #expect(throws: TransportError.self) {
            try state.result(Result<HTTPResponse, any Error>.failure(TransportError(.connectionLost, "It broke.")))
        }
        #expect(error?.code == .connectionLost && error?.attempts == state.attempts && state.attempts.count == 2)
        #expect(state.cancellation.code == .cancelled && state.cancellation.attempts == state.attempts)
        let response = HTTPResponse(status: .badGateway, url: try URL(httpString: "http://h/"))
        let returned = try state.result(.success(response))
        #expect(returned.status == .badGateway && returned.attempts == state.attempts)
        _ = wait(&state, try outcome(.notFound), at: 101)
        let last = try state.result(.success(response))
        #expect(state.attempts.count == 3 && last.attempts == Array(state.attempts.dropLast()))
    }

    /// The head before the failing body: a success, which is not recorded, or a final failure.
    @Test(arguments: [nil, HTTPStatus.notFound]) func `an error of the body replaces the record of the last attempt`(
        status: HTTPStatus?
    ) throws {
        struct Stranger: Error {}
        var state = try state(backoff: .zero)
        _ = wait(&state, try outcome(.badGateway), at: 101)
        if let status { _ = wait(&state, try outcome(status), at: 101) }
        let error = state.error(ofBody: TransportError(.truncated, "It is short.")) as? TransportError
        #expect(error?.code == .truncated)
        #expect(
            error?.attempts == [
                .init(.status(.badGateway), backoff: .zero), .init(.failure(.truncated, "It is short.")),
            ])
        #expect(state.error(ofBody: Stranger()) is Stranger)
    }

    /// The cap is 60 s; the strategy allows two attempts.
    @Test(arguments: [("60", false), ("61", true), ("3600", true), ("Sun, 06 Nov 1994 10:49:37 GMT", true)])
    func `a Retry-After beyond the cap ends the call`(text: String, isRefused: Bool) throws {
        let budget = RetryBudget(capacity: 1, refill: 0)
        let strategy = Retry(
            classifier: .standard, backoff: .retryAfter(cap: .seconds(60), minimum: .immediate),
            limiter: .all(.attempts(2), budget))
        let fields = try HTTPFields(["Retry-After": text])
        let head = HTTPResponseHead(
            status: .serviceUnavailable, fields: fields, url: try URL(httpString: "http://h/"))
        var first = RetryState(try request(), strategy: strategy, started: .zero)
        let action = first.attemptEnded(.response(head), now: .zero, date: someDate, random: 0)
        // Likewise if its body was cut.
        let cut = TransportError(.truncated, "It is short.", head: head)
        let patient = Retry(
            classifier: .standard, backoff: .retryAfter(cap: .seconds(60), minimum: .immediate), limiter: .attempts(2))
        var other = RetryState(try request(), strategy: patient, started: .zero)
        let actionAfterCut = other.attemptEnded(.failure(cut), now: .zero, date: someDate, random: 0)
        let asked = Duration.seconds(Int(text) ?? 7200)
        guard isRefused else {
            let entry = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .seconds(60))
            let cutEntry = TransportError.AttemptRecord(.failure(.truncated, "It is short."), backoff: .seconds(60))
            #expect(actionAfterCut == .wait(until: .seconds(60), after: cutEntry))
            return #expect(action == .wait(until: .seconds(60), after: entry))
        }
        guard case .refuse(let cutError) = actionAfterCut else { return #expect(Bool(false), "\(actionAfterCut)") }
        #expect(cutError.retryAfter == asked && cutError.head == head)
        guard case .refuse(let error) = action else { return #expect(Bool(false), "\(action)") }
        #expect(error.retryAfter == asked && error.maximumRetryAfter == .seconds(60) && error.head == head)
        #expect(first.attempts == [.init(.status(.serviceUnavailable))])
        // An attempt that is the last one anyway ends the call with its response.
        var last = RetryState(try request(maximumAttempts: 1), strategy: strategy, started: .zero)
        #expect(last.attemptEnded(.response(head), now: .zero, date: someDate, random: 0) == .finish)
        var spent = RetryState(try request(), strategy: strategy, started: .zero)
        #expect(spent.attemptEnded(.response(head), now: .zero, date: someDate, random: 0) == .finish)
        // A rejection has its own `retryAfter`.
        let open = AdmissionError(.circuitOpen, "The circuit is open.", retryAfter: .seconds(3600))
        var circuit = RetryState(try request(), strategy: strategy, started: .zero)
        #expect(circuit.attemptEnded(.rejection(open), now: .zero, date: someDate, random: 0) == .finish)
    }

    @Test func `durations of any size do not trap`() throws {
        for backoff in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
            for total in [Duration.seconds(Int64.max), .seconds(Int64.min), nil] {
                var state = try state(total: total, backoff: backoff)
                _ = state.attemptEnded(broken, now: .seconds(101), date: someDate, random: 0)
                _ = try? state.nextRequest(now: .seconds(101))
            }
        }
    }
}
