import HTTPMessages
import Queueing
import Testing

@Suite struct BothPermissionsTests {
    @Test func `allows what both allow, and asks the second only then`() throws {
        let budget = RetryBudget(capacity: 2, refill: 0.5)
        let permission: BothPermissions<AttemptLimit, RetryBudget> = .both(.attempts(2), budget)
        let (first, second) = (
            try ended(request(), .badGateway), try ended(request(), .badGateway, earlier: earlier(.zero))
        )
        #expect(permission.allowsRepeating(first) && !permission.allowsRepeating(second))
        #expect(budget.tokens == 1)
        #expect(permission.allowsRepeating(first) && !permission.allowsRepeating(first))
        permission.callSucceeded()
        #expect(budget.tokens == 0.5)
    }
}
