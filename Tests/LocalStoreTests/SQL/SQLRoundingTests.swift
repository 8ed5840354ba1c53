import Foundation
import Testing

@testable import LocalStore

@Suite struct SQLRoundingTests {
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
