import Testing

@testable import Queueing

@Suite struct RendezvousStateTests {
    private struct Broken: Error {}
    private typealias State = RendezvousState<String, String>

    /// The outcome of a request for a chunk.
    private func consume(_ state: inout State) -> String {
        switch state.consume("consumer") {
        case .wait(let producer): producer.map { "wake \($0)" } ?? "wait"
        case .end(let error): error == nil ? "end" : "error"
        }
    }

    @Test func `a chunk is produced on demand`() {
        var state = State()
        #expect(state.produce("producer") == nil)
        #expect(consume(&state) == "wake producer")
        #expect(state.deliver() == "consumer")
        // The consumer may come first.
        #expect(consume(&state) == "wait")
        #expect(state.produce("producer") == true)
        #expect(state.deliver() == "consumer")
        #expect(state.produce("producer") == nil)
    }

    @Test func `a waiting consumer gets the end, and again on the next call`() {
        for error in [nil, Broken()] {
            var state = State()
            #expect(consume(&state) == "wait" && state.produce("producer") == true)
            #expect(state.finish(error) == "consumer")
            #expect(consume(&state) == "end" && consume(&state) == "end")
        }
    }

    @Test func `a later consumer gets the end, and an error once`() {
        for (error, outcomes) in [(nil, ["end", "end"]), (Broken(), ["error", "end"])] {
            var state = State()
            #expect(state.finish(error) == nil)
            #expect([consume(&state), consume(&state)] == outcomes)
        }
    }

    @Test func `cancelling wakes a waiting producer`() {
        var state = State()
        #expect(state.produce("producer") == nil)
        #expect(state.cancelProducer() == "producer" && state.cancelProducer() == nil)
        #expect(state.produce("producer") == false)
        // No producer waits; the consumer waits for the end.
        #expect(consume(&state) == "wait" && state.produce("producer") == false)
        #expect(state.finish(Broken()) == "consumer")
    }

    @Test func `a producer cancelled early does not wait`() {
        var state = State()
        #expect(state.cancelProducer() == nil && state.produce("producer") == false)
    }
}
