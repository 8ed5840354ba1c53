import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct CircuitStateTests {
    private func state(
        _ threshold: CircuitPolicy.Threshold = .failures(3, within: .seconds(10)), probes: Int = 1
    ) -> CircuitState {
        CircuitState(CircuitPolicy(threshold: threshold, openTime: .seconds(30), probes: probes))
    }

    /// One call from start to end at this second; nil when it was not let through.
    @discardableResult
    private func call(_ state: inout CircuitState, _ end: CircuitState.End, at second: Int) -> CircuitState.Phase? {
        guard case .pass(let pass) = state.admit(now: .seconds(second)) else { return nil }
        state.ended(pass, end, now: .seconds(second))
        return state.phase
    }

    private func opened(probes: Int = 1) -> CircuitState {
        var state = state(probes: probes)
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        return state
    }

    @Test func `failures within the window open it`() {
        var state = state()
        #expect(call(&state, .failure, at: 0) == .closed)
        #expect(call(&state, .success, at: 1) == .closed)
        #expect(call(&state, .failure, at: 2) == .closed)
        #expect(call(&state, .failure, at: 3) == .open(until: .seconds(33)))
    }

    @Test func `failures further apart do not, nor what says nothing`() {
        var state = state()
        for second in stride(from: 0, to: 100, by: 5) { #expect(call(&state, .failure, at: second) == .closed) }
        for second in 200..<300 { #expect(call(&state, .unknown, at: second) == .closed) }
    }

    @Test func `a ratio counts the successes too`() {
        var state = state(.ratio(0.5, failures: 3, within: .seconds(10)))
        for _ in 0..<4 { call(&state, .success, at: 0) }
        for _ in 0..<3 { #expect(call(&state, .failure, at: 0) == .closed) }
        #expect(call(&state, .failure, at: 0) == .open(until: .seconds(30)))
    }

    @Test func `an open one says how long`() {
        var state = opened()
        #expect(state.admit(now: .seconds(0)) == .refuse(retryAfter: .seconds(30)))
        #expect(state.admit(now: .seconds(29)) == .refuse(retryAfter: .seconds(1)))
        #expect(call(&state, .success, at: 30) == .closed)
        // What went before it opened is forgotten.
        #expect(call(&state, .failure, at: 30) == .closed)
    }

    @Test func `a failed probe opens it again`() {
        var state = opened()
        #expect(call(&state, .failure, at: 31) == .open(until: .seconds(61)))
        #expect(call(&state, .success, at: 60) == nil)
        #expect(call(&state, .success, at: 61) == .closed)
    }

    @Test func `so many probes at a time, and all have to succeed`() throws {
        var state = opened(probes: 2)
        let passes = try (0..<2).map { _ in
            guard case .pass(let pass) = state.admit(now: .seconds(30)) else { throw CancellationError() }
            return pass
        }
        #expect(state.admit(now: .seconds(30)) == .refuse(retryAfter: nil))
        state.ended(passes[0], .success, now: .seconds(31))
        #expect(state.phase == .probing(underWay: 1, succeeded: 1))
        #expect(state.admit(now: .seconds(31)) == .refuse(retryAfter: nil))
        // A probe that was cancelled makes room for another one.
        state.ended(passes[1], .unknown, now: .seconds(31))
        #expect(call(&state, .success, at: 32) == .closed)
    }

    @Test func `a probe that takes too long leaves its place to another one`() throws {
        var state = opened()
        guard case .pass(let slow) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        #expect(state.admit(now: .seconds(59)) == .refuse(retryAfter: nil))
        #expect(!state.isForgettable(now: .seconds(59)))
        guard case .pass(let probe) = state.admit(now: .seconds(60)) else { throw CancellationError() }
        #expect(state.admit(now: .seconds(89)) == .refuse(retryAfter: nil))
        state.ended(slow, .unknown, now: .seconds(89))
        state.ended(probe, .unknown, now: .seconds(89))
        #expect(state.phase == .probing(underWay: 0, succeeded: 0))
        #expect(call(&state, .success, at: 89) == .closed)
    }

    @Test func `calls from before a change are not heard`() throws {
        var state = state()
        guard case .pass(let early) = state.admit(now: .zero) else { throw CancellationError() }
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        state.ended(early, .success, now: .seconds(1))
        #expect(state.phase == .open(until: .seconds(30)))
        guard case .pass(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        state.ended(early, .failure, now: .seconds(30))
        #expect(state.phase == .probing(underWay: 1, succeeded: 0))
        state.ended(probe, .success, now: .seconds(30))
        state.ended(probe, .failure, now: .seconds(30))
        #expect(state.phase == .closed)
    }

    /// What a streamed call that has its head says at the end of its body, and the phases after its head and after that.
    @Test(arguments: [
        (1, CircuitState.End.success, CircuitState.Phase.closed, CircuitState.Phase.closed),
        (1, .unknown, .closed, .closed), (1, .failure, .closed, .closed),
        (2, .success, .probing(underWay: 0, succeeded: 1), .probing(underWay: 0, succeeded: 1)),
        (2, .unknown, .probing(underWay: 0, succeeded: 1), .probing(underWay: 0, succeeded: 1)),
        (2, .failure, .probing(underWay: 0, succeeded: 1), .open(until: .seconds(62))),
    ]) func `a probe is settled by its head, once`(
        probes: Int, end: CircuitState.End, afterHead: CircuitState.Phase, afterBody: CircuitState.Phase
    ) throws {
        var state = opened(probes: probes)
        guard case .pass(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        let rest = state.answered(probe, now: .seconds(31))
        #expect(state.phase == afterHead)
        state.ended(rest, end, now: .seconds(32))
        #expect(state.phase == afterBody)
    }

    @Test func `after its head a probe counts as any other call`() throws {
        var state = opened()
        guard case .pass(let probe) = state.admit(now: .seconds(30)) else { throw CancellationError() }
        let rest = state.answered(probe, now: .seconds(30))
        for _ in 0..<2 { #expect(call(&state, .failure, at: 31) == .closed) }
        state.ended(rest, .failure, now: .seconds(31))
        #expect(state.phase == .open(until: .seconds(61)))
    }

    @Test func `the head of a call says nothing while the circuit is closed, or after it has changed`() throws {
        var state = state()
        guard case .pass(let early) = state.admit(now: .zero) else { throw CancellationError() }
        #expect(state.answered(early, now: .zero) == early)
        for _ in 0..<3 { call(&state, .failure, at: 0) }
        guard case .pass = state.admit(now: .seconds(30)) else { throw CancellationError() }
        #expect(state.answered(early, now: .seconds(30)) == early)
        #expect(state.phase == .probing(underWay: 1, succeeded: 0))
    }

    @Test func `never more probes than allowed, and never stuck`() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let probes = Int.random(in: 0...3, using: &generator)
            var state = opened(probes: probes)
            var underWay: [CircuitState.Pass] = []
            var now = 0
            for _ in 0..<100 {
                now += Int.random(in: 0...10, using: &generator)
                if Bool.random(using: &generator), case .pass(let pass) = state.admit(now: .seconds(now)) {
                    underWay.append(pass)
                } else if !underWay.isEmpty, Bool.random(using: &generator) {
                    let index = Int.random(in: underWay.indices, using: &generator)
                    underWay[index] = state.answered(underWay[index], now: .seconds(now))
                } else if let pass = underWay.popLast() {
                    let end = [CircuitState.End.success, .failure, .unknown].randomElement(using: &generator)
                    state.ended(pass, end ?? .unknown, now: .seconds(now))
                }
                if case .probing(let count, let succeeded) = state.phase {
                    #expect(count >= 0 && succeeded >= 0 && count + succeeded <= max(1, probes))
                }
            }
            for pass in underWay { state.ended(pass, .unknown, now: .seconds(now)) }
            #expect(call(&state, .success, at: now + 30) != nil)
        }
    }
}
