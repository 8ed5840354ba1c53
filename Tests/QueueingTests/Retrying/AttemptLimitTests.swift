import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct AttemptLimitTests {
    @Test(
        arguments: [
            (3, nil, 1, true), (3, nil, 2, true), (3, nil, 3, false), (1, nil, 1, false), (0, nil, 1, false),
            (3, 1, 1, false), (1, 16, 15, true), (1, 16, 16, false), (3, -5, 1, false),
        ] as [(Int, Int?, Int, Bool)])
    func `counts the first attempt`(limit: Int, own: Int?, number: Int, allows: Bool) throws {
        let attempt = try finished(
            request(maximumAttempts: own), .badGateway,
            previousAttempts: Array(repeating: .init(.status(.badGateway)), count: number - 1))
        #expect(AttemptLimit.attempts(limit).allowsRetry(after: attempt) == allows)
    }
}
