import HTTPMessages
import Queueing
import Testing

@Suite struct ConstantDelayTests {
    @Test func `waits equally long each time`() throws {
        let attempt = try ended(request(), .badGateway, earlier: earlier(.seconds(9)))
        #expect(ConstantDelay.constant(.seconds(3)).delay(after: attempt, random: 0.9) == .seconds(3))
        #expect(ConstantDelay.immediate.delay(after: attempt, random: 0.9) == .zero)
    }
}
