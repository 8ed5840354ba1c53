import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct CircuitStateTests {
    private func state(
        _ threshold: CircuitPolicy.Threshold = .failures(3, within: .seconds(10)), halfOpenCalls: Int = 1
    ) -> CircuitState {
        CircuitState(CircuitPolicy(threshold: threshold, openDuration: .seconds(30), halfOpenCalls: halfOpenCalls))
    }

    /// Runs a call at this second; nil if it is rejected.
    @discardableResult
    private func call(_ state: inout CircuitState, _ outcome: CircuitState.Outcome, at second: Int) -> CircuitState
        .Phase?
    {
        guard case .permit(let permit) = state.admit(now: .seconds(second)) else { return nil }
        state.callEnded(permit, outcome, now: .seconds(second))
        return state.phase
    }

    private func opened(halfOpenCalls: Int = 1) -> CircuitState {
        var state = state(halfOpenCalls: halfOpenCalls)
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        return state
    }

    @Test func `failures within the window open the circuit`() {
        var state = state()
        #expect(call(&state, .failure, at: 0) == .closed)
        #expect(call(&state, .success, at: 1) == .closed)
        #expect(call(&state, .failure, at: 2) == .closed)
        #expect(call(&state, .failure, at: 3) == .open(until: .seconds(33)))
    }

    @Test func `failures further apart and unknown outcomes do not open it`() {
        var state = state()
        for second in stride(from: 0, to: 100, by: 5) { #expect(call(&state, .failure, at: second) == .closed) }
        for second in 200..<300 { #expect(call(&state, .unknown, at: second) == .closed) }
    }

    @Test func `a ratio counts successes, too`() {
        var state = state(.ratio(0.5, failures: 3, within: .seconds(10)))
        for _ in 0..<4 { call(&state, .success, at: 0) }
        for _ in 0..<3 { #expect(call(&state, .failure, at: 0) == .closed) }
        #expect(call(&state, .failure, at: 0) == .open(until: .seconds(30)))
    }

    @Test func `an open circuit tells the remaining time`() {
        var state = opened()
        #expect(state.admit(now: .seconds(0)) == .reject(retryAfter: .seconds(30)))
        #expect(state.admit(now: .seconds(29)) == .reject(retryAfter: .seconds(1)))
        #expect(call(&state, .success, at: 30) == .closed)
        // The counts from before it opened are gone.
        #expect(call(&state, .failure, at: 30) == .closed)
    }

    @Test func `a failed half-open call opens the circuit again`() {
        var state = opened()
        #expect(call(&state, .failure, at: 31) == .open(until: .seconds(61)))
        #expect(call(&state, .success, at: 60) == nil)
        #expect(call(&state, .success, at: 61) == .closed)
    }

    @Test func `half-open calls are limited, and all must succeed`() throws {
        var state = opened(halfOpenCalls: 2)
        let permits = try (0..<2).map { _ in
            guard case .permit(let permit) = state.admit(now: .seconds(30)) else { throw CancellationError() }
            return permit
        }
        #expect(state.admit(now: .seconds(30)) == .reject(retryAfter: nil))
        state.callEnded(permits[0], .success, now: .seconds(31))
        #expect(state.phase == .halfOpen(inFlight: 1, succeeded: 1))
        #expect(state.admit(now: .seconds(31)) == .reject(retryAfter: nil))
        // A cancelled call frees its place.
        state.callEnded(permits[1], .unknown, now: .seconds(31))
        #expect(call(&state, .success, at: 32) == .closed)
    }

    @Test func `a slow half-open call gives its place to another one`() throws {
        var state = opened()
        guard case .permit(let slow) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        #expect(state.admit(now: .seconds(59)) == .reject(retryAfter: nil))
        #expect(!state.isEvictable(now: .seconds(59)))
        guard case .permit(let probe) = state.admit(now: .seconds(60)) else { throw CancellationError() }
        #expect(state.admit(now: .seconds(89)) == .reject(retryAfter: nil))
        state.callEnded(slow, .unknown, now: .seconds(89))
        state.callEnded(probe, .unknown, now: .seconds(89))
        #expect(state.phase == .halfOpen(inFlight: 0, succeeded: 0))
        #expect(call(&state, .success, at: 89) == .closed)
    }

    @Test func `calls from before a transition are ignored`() throws {
        var state = state()
        guard case .permit(let early) = state.admit(now: .zero) else { throw CancellationError() }
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        state.callEnded(early, .success, now: .seconds(1))
        #expect(state.phase == .open(until: .seconds(30)))
        guard case .permit(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        state.callEnded(early, .failure, now: .seconds(30))
        #expect(state.phase == .halfOpen(inFlight: 1, succeeded: 0))
        state.callEnded(probe, .success, now: .seconds(30))
        state.callEnded(probe, .failure, now: .seconds(30))
        #expect(state.phase == .closed)
    }

    /// The outcome of a body, and the phases after the head and after the body.
    @Test(arguments: [
        (1, CircuitState.Outcome.success, CircuitState.Phase.closed, CircuitState.Phase.closed),
        (1, .unknown, .closed, .closed), (1, .failure, .closed, .closed),
        (2, .success, .halfOpen(inFlight: 0, succeeded: 1), .halfOpen(inFlight: 0, succeeded: 1)),
        (2, .unknown, .halfOpen(inFlight: 0, succeeded: 1), .halfOpen(inFlight: 0, succeeded: 1)),
        (2, .failure, .halfOpen(inFlight: 0, succeeded: 1), .open(until: .seconds(62))),
    ]) func `a half-open call counts with its head, once`(
        halfOpenCalls: Int, outcome: CircuitState.Outcome, afterHead: CircuitState.Phase, afterBody: CircuitState.Phase
    ) throws {
        var state = opened(halfOpenCalls: halfOpenCalls)
        guard case .permit(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        let rest = state.headReceived(probe, now: .seconds(31))
        #expect(state.phase == afterHead)
        state.callEnded(rest, outcome, now: .seconds(32))
        #expect(state.phase == afterBody)
    }

    @Test func `after its head a half-open call counts as a usual call`() throws {
        var state = opened()
        guard case .permit(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        let rest = state.headReceived(probe, now: .seconds(30))
        for _ in 0..<2 { #expect(call(&state, .failure, at: 31) == .closed) }
        state.callEnded(rest, .failure, now: .seconds(31))
        #expect(state.phase == .open(until: .seconds(61)))
    }

    @Test func `a head has no effect in a closed circuit or after a transition`() throws {
        var state = state()
        guard case .permit(let early) = state.admit(now: .zero) else { throw CancellationError() }
        #expect(state.headReceived(early, now: .zero) == early)
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        guard case .permit = state.admit(now: .seconds(30)) else { throw CancellationError() }
        #expect(state.headReceived(early, now: .seconds(30)) == early)
        #expect(state.phase == .halfOpen(inFlight: 1, succeeded: 0))
    }

    @Test func `half-open calls stay within the limit, and the circuit is never stuck`() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let halfOpenCalls = Int.random(in: 0...3, using: &generator)
            var state = opened(halfOpenCalls: halfOpenCalls)
            var inFlight: [CircuitState.Permit] = []
            var now = 0
            for _ in 0..<100 {
                now += Int.random(in: 0...10, using: &generator)
                if Bool.random(using: &generator), case .permit(let permit) = state.admit(now: .seconds(now)) {
                    inFlight.append(permit)
                } else if !inFlight.isEmpty, Bool.random(using: &generator) {
                    let index = Int.random(in: inFlight.indices, using: &generator)
                    inFlight[index] = state.headReceived(inFlight[index], now: .seconds(now))
                } else if let permit = inFlight.popLast() {
                    let outcome = [CircuitState.Outcome.success, .failure, .unknown].randomElement(using: &generator)
                    state.callEnded(permit, outcome ?? .unknown, now: .seconds(now))
                }
                if case .halfOpen(let count, let succeeded) = state.phase {
                    #expect(count >= 0 && succeeded >= 0 && count + succeeded <= max(1, halfOpenCalls))
                }
            }
            for permit in inFlight { state.callEnded(permit, .unknown, now: .seconds(now)) }
            #expect(call(&state, .success, at: now + 30) != nil)
        }
    }
}
