import StoreCore
import TestSupport
import Testing

@testable import HyperHive

@Suite struct LongNumberTests {
    @Test func `HyperHive 12: a text column keeps the digits of a number, and a number column its value`() async throws
    {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            let numbers = ["12345678901234567890", "-1.00000000000000000001", "1.50000000000000000000", "7"]
            let rows = numbers.enumerated().map { "[\($0),\($1),\($1)]" }.joined(separator: ",")
            try await fixture.load("[{\"name\":\"fruits\",\"data\":[\(rows)]}]", "1")
            #expect(
                try fixture.fruits() == [
                    [0, 12_345_678_901_234_567_890.0, .text(numbers[0])], [1, -1, .text(numbers[1])],
                    [2, 1.5, "1.5"], [3, 7, "7"],
                ])
        }
    }
}
