import HTTPMessages
import Queueing
import Testing

@Suite struct ConstantBackoffTests {
    @Test func `every wait is equal`() throws {
        let attempt = try finished(request(), .badGateway, previousAttempts: records(backoffs: .seconds(9)))
        #expect(ConstantBackoff.constant(.seconds(3)).duration(after: attempt, random: 0.9) == .seconds(3))
        #expect(ConstantBackoff.immediate.duration(after: attempt, random: 0.9) == .zero)
    }
}
