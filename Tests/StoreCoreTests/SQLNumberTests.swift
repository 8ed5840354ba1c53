import Testing

@testable import StoreCore

@Suite struct SQLNumberTests {
    @Test(arguments: [
        ("1.5e3", 1500), ("5.", 5), (".5", 0.5), ("-2.5e-3x", -0.0025), ("1e400", .infinity), ("1e-400", 0),
        ("123456789012345678901234567890", 1.2345678901234568e29), (" +0.1 ", 0.1), ("1e", 1), ("", 0), ("x", 0),
        ("2.2250738585072014e-308", .leastNormalMagnitude), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ])
    func `text converts to its numeric prefix`(text: String, value: Double) {
        #expect(SQLNumber.real(ArraySlice(text.utf8)).value == value)
    }

    @Test(arguments: [
        (1.5, "1.5"), (0, "0.0"), (-0.25, "-0.25"), (1e15, "1.0e+15"), (1e14, "100000000000000.0"), (1e-4, "0.0001"),
        (1e-5, "1.0e-05"), (1.5e300, "1.5e+300"), (0.1, "0.1"), (2.0 / 3, "0.666666666666667"), (1e21, "1.0e+21"),
        (999_999_999_999_999.9, "1.0e+15"), (.infinity, "Inf"), (-.infinity, "-Inf"),
        (.leastNonzeroMagnitude, "4.94065645841247e-324"),
    ])
    func `reals have fifteen digits`(value: Double, text: String) {
        #expect(String(decoding: SQLNumber.text(value), as: UTF8.self) == text)
    }
}
