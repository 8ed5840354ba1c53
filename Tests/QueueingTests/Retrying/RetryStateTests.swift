import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct RetryStateTests {
    private typealias Rule = Retry<VendorTriage, ConstantDelay, AttemptLimit>

    private func state(
        total: Duration? = nil, delay: Duration = .seconds(2), attempts: Int = 3, started: Duration = .seconds(100),
        body: HTTPBody = .empty
    ) throws -> RetryState<Rule> {
        RetryState(
            try request(.post, body: body, total: total),
            strategy: Retry(
                triage: .regardlessOfMethod { $0.status != .notFound }, delay: .constant(delay),
                permission: .attempts(attempts)),
            started: started)
    }

    private let broken = EndedAttempt.Outcome.failure(TransportError(.connectionLost, "It broke."))

    private func answered(_ status: HTTPStatus) throws -> EndedAttempt.Outcome {
        .response(HTTPResponseHead(status: status, url: try HTTPRequest.url(of: "http://h/")))
    }

    /// What an attempt that ends at this second leads to: the second until which there is a wait, or nil.
    private func wait(_ state: inout RetryState<Rule>, _ outcome: EndedAttempt.Outcome, at second: Int) -> Int? {
        let action = state.ended(outcome, now: .seconds(second), date: someDate, random: 0.5)
        guard case .wait(let moment, _) = action else { return nil }
        return moment.map { Int($0.components.seconds) } ?? second
    }

    @Test func `waits and repeats until the limit`() throws {
        var state = try state()
        #expect(wait(&state, broken, at: 101) == 103)
        #expect(try state.next(now: .seconds(103)).options.timeouts.total == nil)
        #expect(wait(&state, try answered(.badGateway), at: 104) == 106)
        #expect(wait(&state, broken, at: 107) == nil)
        let failure = TransportError.Attempt.Cause.failure(.connectionLost, "It broke.")
        #expect(
            state.attempts == [
                .init(failure, delay: .seconds(2)), .init(.status(.badGateway), delay: .seconds(2)), .init(failure),
            ])
    }

    @Test func `tells what it waits for`() throws {
        var state = try state()
        let action = state.ended(try answered(.badGateway), now: .seconds(101), date: someDate, random: 0)
        #expect(action == .wait(until: .seconds(103), after: .init(.status(.badGateway), delay: .seconds(2))))
        var hasty = try self.state(delay: .seconds(-1))
        let next = hasty.ended(broken, now: .seconds(101), date: someDate, random: 0)
        #expect(
            next == .wait(until: nil, after: .init(.failure(.connectionLost, "It broke."), delay: .zero)))
    }

    @Test func `what is not worth it, or was cancelled, ends the call`() throws {
        var state = try state()
        #expect(wait(&state, try answered(.notFound), at: 101) == nil)
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

    @Test func `each attempt has the time that is left, and none has no time`() throws {
        var state = try state(total: .seconds(10))
        #expect(wait(&state, broken, at: 101) == 103)
        #expect(try state.next(now: .seconds(103)).options.timeouts.total == .seconds(7))
        // Somebody woke late.
        #expect(try state.next(now: .milliseconds(109_999)).options.timeouts.total == .milliseconds(1))
        for second in [110, 200] {
            let error = #expect(throws: TransportError.self) { try state.next(now: .seconds(second)) }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.attempts == state.attempts)
        }
    }

    @Test func `a wait that the deadline forbids costs no budget`() throws {
        let budget = RetryBudget(capacity: 1, refill: 0)
        var state = RetryState(
            try request(total: .seconds(1)),
            strategy: Retry(triage: .standard, delay: .constant(.seconds(2)), permission: budget), started: .zero)
        #expect(state.ended(broken, now: .zero, date: someDate, random: 0) == .finish)
        #expect(budget.tokens == 1)
    }

    @Test func `ends as its last attempt did, with all of them`() throws {
        var state = try state(delay: .zero)
        _ = wait(&state, try answered(.badGateway), at: 101)
        _ = wait(&state, broken, at: 101)
        let error = #expect(throws: TransportError.self) {
            try state.conclusion(Result<HTTPResponse, TransportError>.failure(.init(.connectionLost, "It broke.")))
        }
        #expect(error?.code == .connectionLost && error?.attempts == state.attempts && state.attempts.count == 2)
        #expect(state.cancellation.code == .cancelled && state.cancellation.attempts == state.attempts)
        let response = HTTPResponse(status: .badGateway, url: try HTTPRequest.url(of: "http://h/"))
        #expect(try state.conclusion(.success(response)) == response)
    }

    /// How the last attempt ended when its body fails: with a good head, of which nothing was noted, or with a last one.
    @Test(arguments: [nil, HTTPStatus.notFound]) func `a body that fails is the end of the last attempt`(
        status: HTTPStatus?
    ) throws {
        struct Stranger: Error {}
        var state = try state(delay: .zero)
        _ = wait(&state, try answered(.badGateway), at: 101)
        if let status { _ = wait(&state, try answered(status), at: 101) }
        let error = state.conclusion(ofBody: TransportError(.truncated, "It is short.")) as? TransportError
        #expect(error?.code == .truncated)
        #expect(
            error?.attempts == [
                .init(.status(.badGateway), delay: .zero), .init(.failure(.truncated, "It is short.")),
            ])
        #expect(state.conclusion(ofBody: Stranger()) is Stranger)
    }

    /// The cap is 60 s; the strategy allows two attempts.
    @Test(arguments: [("60", false), ("61", true), ("3600", true), ("Sun, 06 Nov 1994 10:49:37 GMT", true)])
    func `a server that asks for more than the cap ends the call`(text: String, isRefused: Bool) throws {
        let budget = RetryBudget(capacity: 1, refill: 0)
        let strategy = Retry(
            triage: .standard, delay: .retryAfter(cap: .seconds(60), else: .immediate),
            permission: .both(.attempts(2), budget))
        let fields = try HTTPFields(["Retry-After": text])
        let head = HTTPResponseHead(
            status: .serviceUnavailable, fields: fields, url: try HTTPRequest.url(of: "http://h/"))
        var first = RetryState(try request(), strategy: strategy, started: .zero)
        let action = first.ended(.response(head), now: .zero, date: someDate, random: 0)
        let asked = Duration.seconds(Int(text) ?? 7200)
        guard isRefused else {
            let entry = TransportError.Attempt(.status(.serviceUnavailable), delay: .seconds(60))
            return #expect(action == .wait(until: .seconds(60), after: entry))
        }
        guard case .refuse(let error) = action else { return #expect(Bool(false), "\(action)") }
        #expect(error.retryAfter == asked && error.cap == .seconds(60) && error.head == head)
        #expect(first.attempts == [.init(.status(.serviceUnavailable))])
        // An attempt that would be the last anyway ends the call with its response.
        var last = RetryState(try request(maximumAttempts: 1), strategy: strategy, started: .zero)
        #expect(last.ended(.response(head), now: .zero, date: someDate, random: 0) == .finish)
        var spent = RetryState(try request(), strategy: strategy, started: .zero)
        #expect(spent.ended(.response(head), now: .zero, date: someDate, random: 0) == .finish)
        // An error says itself how long it lasts.
        let open = TransportError(.circuitOpen, "The circuit is open.", retryAfter: .seconds(3600))
        var circuit = RetryState(try request(), strategy: strategy, started: .zero)
        #expect(circuit.ended(.failure(open), now: .zero, date: someDate, random: 0) == .finish)
    }

    @Test func `durations of any size do not trap`() throws {
        for delay in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
            for total in [Duration.seconds(Int64.max), .seconds(Int64.min), nil] {
                var state = try state(total: total, delay: delay)
                _ = state.ended(broken, now: .seconds(101), date: someDate, random: 0)
                _ = try? state.next(now: .seconds(101))
            }
        }
    }
}
