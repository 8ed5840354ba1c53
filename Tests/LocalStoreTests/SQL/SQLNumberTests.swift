import Foundation
import Testing

@testable import LocalStore

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

    @Test(arguments: [(2.675, 2, 2.68), (1.005, 2, 1.01), (-1.25, 1, -1.3), (0.1, 30, 0.1), (1e-300, 2, 0)])
    func `round matches SQ lite`(value: Double, places: Int, expected: Double) {
        #expect(SQLNumber.rounded(value, places: places) == expected)
    }

    /// Skipped where no locale with a decimal comma is installed.
    @Test(.enabled(if: CommaLocale.isInstalled)) func `numbers ignore the locale`() throws {
        try CommaLocale.use {
            var text = [CChar](repeating: 0, count: 8)
            withVaList([1.5]) { _ = vsnprintf(&text, 8, "%.1f", $0) }
            #expect(text[1] == CChar(UInt8(ascii: ",")))
            let store = MemoryStore()
            try store.execute("CREATE TABLE t (r REAL)")
            try store.execute("INSERT INTO t VALUES ('2.5e3'), (1.5e3)")
            #expect(try store.rows("SELECT r FROM t") == [[2500.0], [1500.0]])
            #expect(try store.rows("SELECT CAST(1.5 AS TEXT), round(2.345, 2)") == [["1.5", 2.35]])
        }
    }
}

/// A locale that writes numbers with a comma, for one thread at a time.
private enum CommaLocale {
    static var isInstalled: Bool { make().map { freelocale($0) } != nil }

    static func use(_ body: () throws -> Void) rethrows {
        guard let locale = make() else { return }
        let old = uselocale(locale)
        defer {
            uselocale(old)
            freelocale(locale)
        }
        try body()
    }

    private static func make() -> locale_t? {
        for name in ["de_DE.UTF-8", "fr_FR.UTF-8"] {
            if let locale = newlocale(1 << LC_NUMERIC, name, nil) { return locale }
        }
        return nil
    }
}
