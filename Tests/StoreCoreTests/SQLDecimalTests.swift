import Foundation
import PatchbayTestKit
import Testing

@testable import StoreCore

@Suite struct SQLDecimalTests {
    private func text(_ decimal: SQLDecimal) -> String {
        decimal.digits.map(String.init).joined() + "e\(decimal.exponent)"
    }

    @Test(arguments: [
        (1.0, "1e0"), (0.5, "5e-1"), (0.1, "1000000000000000055511151231257827021181583404541015625e-1"),
        (1e22, "10000000000000000000000e22"), (123_456.75, "12345675e5"), (0x1p53, "9007199254740992e15"),
        (0x1p-30, "931322574615478515625e-10"),
    ])
    func `digits are exact`(value: Double, expected: String) {
        #expect(text(SQLDecimal(value)) == expected)
    }

    @Test func `extreme doubles have all their digits`() {
        let smallest = SQLDecimal(.leastNonzeroMagnitude)
        #expect(smallest.digits.count == 751 && smallest.exponent == -324)
        #expect(smallest.digits.starts(with: [4, 9, 4, 0, 6, 5, 6, 4, 5, 8, 4, 1, 2, 4, 6, 5, 4, 4]))
        let largest = SQLDecimal(.greatestFiniteMagnitude)
        #expect(largest.digits.count == 309 && largest.exponent == 308)
    }

    @Test(arguments: [
        (2.5, 1, "3e0"), (9.5, 1, "1e1"), (1e22, 15, "1e22"), (1.25, 5, "125e0"), (0.1, 15, "1e-1"), (999.75, 3, "1e3"),
    ])
    func `rounding is half up`(value: Double, count: Int, expected: String) {
        var decimal = SQLDecimal(value)
        decimal.round(toDigits: count)
        #expect(text(decimal) == expected)
    }

    @Test func `fifteen digits are correctly rounded`() {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2000 {
            let value = Double(bitPattern: UInt64.random(in: 1..<0x7FF0_0000_0000_0000, using: &random))
            var decimal = SQLDecimal(value)
            decimal.round(toDigits: 17)
            // Seventeen digits identify a double.
            let digits = decimal.digits.map(String.init).joined()
            #expect(Double("\(digits)e\(decimal.exponent - decimal.digits.count + 1)") == value)
        }
    }
}
