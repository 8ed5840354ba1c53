import Testing

@testable import Queueing

@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    @Test func theFirstValueCounts() async {
        let signal = Signal<Int>()
        signal.send(1)
        signal.send(2)
        #expect(await signal.value == 1)
    }

    @Test func wakesWhoWaits() async {
        for number in 0..<500 {
            let signal = Signal<Int>()
            async let value = signal.value
            if number.isMultiple(of: 2) { await Task.yield() }
            signal.send(number)
            #expect(await value == number)
        }
    }
}
