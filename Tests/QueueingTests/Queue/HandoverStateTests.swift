import Testing

@testable import Queueing

@Suite struct HandoverStateTests {
    private struct Broken: Error {}
    private typealias State = HandoverState<String, String>

    /// What a reader who asks is told.
    private func ask(_ state: inout State) -> String {
        switch state.ask("reader") {
        case .wait(let worker): worker.map { "wake \($0)" } ?? "wait"
        case .end(let error): error == nil ? "end" : "error"
        }
    }

    @Test func `a chunk is got when it is asked for`() {
        var state = State()
        #expect(state.work("worker") == nil)
        #expect(ask(&state) == "wake worker")
        #expect(state.give() == "reader")
        // The reader may be the first to come.
        #expect(ask(&state) == "wait")
        #expect(state.work("worker") == true)
        #expect(state.give() == "reader")
        #expect(state.work("worker") == nil)
    }

    @Test func `a reader who waits hears of the end, and the next time too`() {
        for error in [nil, Broken()] {
            var state = State()
            #expect(ask(&state) == "wait" && state.work("worker") == true)
            #expect(state.end(error) == "reader")
            #expect(ask(&state) == "end" && ask(&state) == "end")
        }
    }

    @Test func `a reader who comes later hears of it too, of an error once`() {
        for (error, answers) in [(nil, ["end", "end"]), (Broken(), ["error", "end"])] {
            var state = State()
            #expect(state.end(error) == nil)
            #expect([ask(&state), ask(&state)] == answers)
        }
    }

    @Test func `a worker who is stopped waits no more`() {
        var state = State()
        #expect(state.work("worker") == nil)
        #expect(state.stop() == "worker" && state.stop() == nil)
        #expect(state.work("worker") == false)
        // Nobody is left to wake; the reader waits for the worker's end.
        #expect(ask(&state) == "wait" && state.work("worker") == false)
        #expect(state.end(Broken()) == "reader")
    }

    @Test func `a worker who is stopped before it comes does not wait`() {
        var state = State()
        #expect(state.stop() == nil && state.work("worker") == false)
    }
}
