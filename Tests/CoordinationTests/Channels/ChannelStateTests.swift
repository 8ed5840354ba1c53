import Testing

@testable import Coordination

@Suite struct ChannelStateTests {
    private struct Broken: Error {}

    /// The state of a channel after some steps, as text: an element costs its number of letters.
    private func outcome(_ steps: String, capacity: Int) -> String {
        var state = ChannelState<String>(capacity: capacity)
        var results: [String] = []
        for step in steps.split(separator: " ").map(String.init) {
            switch step {
            case "finish": state.finish(nil, dropsElements: false)
            case "fail": state.finish(Broken(), dropsElements: false)
            case "break": state.finish(Broken(), dropsElements: true)
            case "close": state.close()
            case "room?": results.append("\(state.room)")
            case "take":
                switch state.take() {
                case .element(let element): results.append(element)
                case .wait: results.append("wait")
                case .end(nil): results.append("end")
                case .end: results.append("error")
                }
            default: if !state.send(step, cost: step.count) { results.append("refused") }
            }
        }
        return results.joined(separator: " ")
    }

    @Test(arguments: [
        ("room? take a room? take take", "free wait free a wait"), ("ab room? c room? take room?", "free wait ab free"),
        ("abcd room? e take take take", "wait abcd e wait"), ("a b finish take take take take", "a b end end"),
        ("a finish b room? take", "refused none a"), ("a fail take take take", "a error end"),
        ("a break take take", "error end"), ("fail finish take", "error"), ("finish fail take", "end"),
        ("abc close room? d take", "none refused end"), ("finish close take", "end"), ("close fail take", "end"),
        ("a fail close take", "end"),
    ])
    func `a channel of three letters`(_ steps: String, _ expected: String) {
        #expect(outcome(steps, capacity: 3) == expected)
    }

    @Test(arguments: [
        ("room? take room? a room? take room?", "wait wait free wait a wait"),
        ("take a take room? b room? take", "wait a wait wait b"), ("take finish room? take", "wait none end"),
        ("take close room?", "wait none"),
    ])
    func `a rendezvous has room on demand only`(_ steps: String, _ expected: String) {
        #expect(outcome(steps, capacity: 0) == expected)
    }

    @Test func `elements leave in their order`() {
        var fifo = FIFO<Int>()
        var taken: [Int] = []
        for number in 0..<1000 {
            fifo.append(number)
            if number % 3 != 0, let first = fifo.popFirst() { taken.append(first) }
        }
        while let first = fifo.popFirst() { taken.append(first) }
        #expect(taken == Array(0..<1000) && fifo.isEmpty && fifo.popFirst() == nil)
    }
}
