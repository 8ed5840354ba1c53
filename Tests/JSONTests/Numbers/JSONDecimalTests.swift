import Foundation
import PatchbayTestKit
import Testing

@testable import JSON

@Suite struct JSONDecimalTests {
    /// Reads a number as a tape does.
    private func double(_ text: String) throws -> Double { try JSONCoding.standard.decode(Double.self, from: text) }

    // Hard cases of number parsers: halfway points, the ends of the range, long digits.
    @Test(arguments: [
        "1", "0.1", "1e23", "8.5e22", "9007199254740993", "9007199254740992.999999999999999999999",
        "1.7976931348623157e308", "1.7976931348623158e308", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "4.9406564584124654e-324", "5e-324", "2.4703282292062328e-324", "1.00000000000000011102230246251565404e0",
        "1.00000000000000011102230246251565403999e0", "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203126", "6.9294956446009195e15", "3.237883913302901e-319",
        "7.2057594037927933e16", "18014398509481993", "36028797018963966", "1090544144181609348671888949248",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e90",
        "123456789012345678901234567890e-20", "89255.0e-22", "104110013277974872254e-225", "12345e300",
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-0", "-0.0",
        "358416272e-33", "2.82879384806159e17", "1.387364135037754e18", "6.631236846766476e-316",
    ])
    func `a double is the nearest one`(text: String) throws {
        let expected = try #require(Double(text))
        #expect(try double(text).bitPattern == expected.bitPattern)
        #expect(try JSONValue(parsing: text).double?.bitPattern == expected.bitPattern)
    }

    @Test func `random doubles of all magnitudes are the nearest ones`() throws {
        var generator = SeededGenerator(seed: 36)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            #expect(try double("\(number)").bitPattern == number.bitPattern)
            // More digits than a double has, which may need the slow path.
            let digits = "\(generator.next()).\(generator.next())e\(Int.random(in: -340...285, using: &generator))"
            #expect(try double(digits).bitPattern == Double(digits)?.bitPattern, "\(digits)")
        }
    }

    @Test func `halfway points between two doubles round to the even one`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let number = Double(UInt64.random(in: 1 << 52..<1 << 53, using: &generator))
            // Exactly between two numbers, and one digit more or less.
            let half = "\(Int64(number)).5"
            #expect(try double(half) == Double(half))
            #expect(try double(half + "000000000000000000000000000001") == number + 1)
            #expect(try double("\(Int64(number)).49999999999999999999999999") == number)
        }
    }

    @Test func `a number of 10,000 digits is the nearest one`() throws {
        let digits = String(repeating: "123456789", count: 1200)
        #expect(try double("0.\(digits)") == Double("0.123456789123456789"))
        #expect(try double("\(digits)e-10799") == Double("1.23456789123456789"))
        let half = "9007199254740992." + "5" + String(repeating: "0", count: 10_000)
        #expect(try double("9007199254740993." + String(repeating: "0", count: 10_000)) == 9_007_199_254_740_992)
        #expect(try double("9007199254740993." + String(repeating: "0", count: 10_000) + "1") == 9_007_199_254_740_994)
        #expect(try double(half) == 9_007_199_254_740_992)
        #expect(throws: DecodingError.self) { try double(digits) }
    }

    @Test func `a float is rounded once`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<10_000 {
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            guard number.isFinite else { continue }
            #expect(try JSONCoding.standard.decode(Float.self, from: "\(number)").bitPattern == number.bitPattern)
        }
        // Rounded to a double first, this would be exactly between two floats.
        let text = "1.00000005960464477539062500000000000000000000000001"
        #expect(try JSONCoding.standard.decode(Float.self, from: text) == Float(1).nextUp)
    }

    @Test func `the table of powers is exact`() throws {
        func power(_ exponent: Int) -> (high: UInt64, low: UInt64) {
            PowersOfFive.table[exponent - PowersOfFive.exponents.lowerBound]
        }
        #expect(power(0) == (1 << 63, 0))
        #expect(power(1) == (0xA000_0000_0000_0000, 0))
        #expect(power(55) == (0xD0CF_4B50_CFE2_0765, 0xFFF4_B4E3_F741_CF6D))
        #expect(power(-1) == (0xCCCC_CCCC_CCCC_CCCC, 0xCCCC_CCCC_CCCC_CCCD))
        #expect(power(308) == (0x8E67_9C2F_5E44_FF8F, 0x570F_09EA_A7EA_7648))
        #expect(power(-342) == (0xEEF4_53D6_923B_D65A, 0x113F_AA29_06A1_3B3F))
    }
}
