import Foundation
import LocalStore
import SQLiteStore
import Testing

/// Expressions with the values that SQLite 3.40 gives them.
@Suite struct SQLEvaluatorTests {
    private static let maximum = StoreValue.integer(.max)
    private static let minimum = StoreValue.integer(.min)

    static let arithmetic: [(String, StoreValue)] = [
        ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 / 2", 3), ("-7 / 2", -3), ("7 / 2.0", 3.5), ("7 / 0", nil),
        ("7 % 0", nil),
        ("7 % -1", 0), ("5.5 % 2", 1.0), ("9223372036854775807 + 1", 9.223372036854775807e18),
        ("-9223372036854775808", minimum), ("-((9223372036854775808))", minimum),
        ("-(9223372036854775808) + 1 = -9223372036854775807", 1),
        ("-9223372036854775808 / -1", 9.223372036854775808e18),
        ("-(-9223372036854775808)", 9.223372036854775808e18), ("9223372036854775808", 9.223372036854775808e18),
        ("'12abc' + 1", 13), ("'1.5x' + 1", 2.5), ("'abc' + 1", 1), ("x'31' + 1", 2), ("'1e2' * 1", 100.0),
        ("NULL + 1", nil),
        ("1 || 2.0", "12.0"), ("1 || NULL", nil), ("x'41' || 'b'", "Ab"), ("1 << 62", 4_611_686_018_427_387_904),
        ("1 << 64", 0),
        ("-1 >> 70", -1), ("1 << -1", 0), ("5 & '3'", 1), ("5 | 2.9", 7), ("~5", -6), ("~NULL", nil), ("- 'x'", 0),
        ("+ 'x'", "x"),
        ("1e400", .real(.infinity)), ("1e400 - 1e400", nil), ("0x7fffffffffffffff", maximum),
    ]
    static let comparisons: [(String, StoreValue)] = [
        ("1 = 1.0", 1), ("1 = '1'", 0), ("CAST('1' AS INTEGER) = '1'", 1), ("'a' < 'B'", 0), ("NULL = NULL", nil),
        ("NULL IS NULL", 1),
        ("1 < 'a'", 1), ("'a' < x''", 1), ("9007199254740993 = 9007199254740992.0", 0), ("NULL IN ()", 0),
        ("NULL IN (1)", nil),
        ("1 IN (2, NULL)", nil), ("1 NOT IN (2, NULL)", nil), ("1 IN (1, NULL)", 1),
        ("1 IN (1, abs(-9223372036854775808))", 1), ("2 BETWEEN 1 AND 3", 1),
        ("2 NOT BETWEEN NULL AND 1", 1), ("NULL AND 0", 0), ("NULL AND 1", nil), ("NULL OR 1", 1), ("NOT NULL", nil),
        ("NOT 'a'", 1),
        ("1 IS TRUE", 1), ("NULL IS NOT TRUE", 1), ("0.5 IS TRUE", 1), ("1 IS NOT DISTINCT FROM 1", 1), ("1 ISNULL", 0),
        ("1 NOT NULL", 1),
        ("'ABC' LIKE 'a_c'", 1), ("'É' LIKE 'é'", 0), ("'a%' LIKE 'a\\%' ESCAPE '\\'", 1), ("'日本' LIKE '__'", 1),
        ("x'61' LIKE 'a'", 0),
        ("'abc' GLOB 'a*'", 1), ("'ABC' GLOB 'a*'", 0), ("']' GLOB '[]]'", 1), ("12 LIKE '1%'", 1),
        ("NULL LIKE 'a'", nil),
    ]
    static let conversions: [(String, StoreValue)] = [
        ("CAST('12abc' AS INTEGER)", 12), ("CAST('9e99' AS INTEGER)", 9), ("CAST(9e99 AS INTEGER)", maximum),
        ("CAST('99999999999999999999' AS INTEGER)", maximum), ("CAST('1.0' AS NUMERIC)", 1),
        ("CAST('1.5' AS NUMERIC)", 1.5),
        ("CAST(1.0 AS NUMERIC)", 1.0), ("CAST('abc' AS REAL)", 0.0), ("CAST(1e15 AS TEXT)", "1.0e+15"),
        ("CAST(1e14 AS TEXT)", "100000000000000.0"),
        ("CAST(0.1 AS TEXT)", "0.1"), ("CAST(1.0/3 AS TEXT)", "0.333333333333333"), ("CAST(1e-5 AS TEXT)", "1.0e-05"),
        ("CAST(5 AS BLOB)", .blob(.init("5".utf8))), ("CAST(x'616263' AS TEXT)", "abc"), ("CAST(NULL AS TEXT)", nil),
        ("CAST('12abc' AS )", 12), ("CAST('1.5' AS )", 1.5), ("CAST(x'3132' AS )", 12), ("CAST(1 AS ) = '1'", 1),
        ("CAST('12' AS DECIMAL(10, -2))", 12),
        ("CASE WHEN 0 THEN 1 END", nil), ("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE 'c' END", "b"),
        ("CASE NULL WHEN NULL THEN 1 ELSE 2 END", 2),
    ]
    static let functions: [(String, StoreValue)] = [
        ("abs(-5)", 5), ("abs('-5')", 5.0), ("abs(NULL)", nil), ("length('日本')", 2), ("length(x'0000')", 2),
        ("length(12.0)", 4),
        ("lower('ÀBC')", "Àbc"), ("upper('àbc')", "àBC"), ("substr('hello', 2)", "ello"),
        ("substr('hello', -3, 2)", "ll"),
        ("substr('hello', 0, 3)", "he"), ("substr('hello', 3, -2)", "he"),
        ("substr(x'010203', 2, 1)", .blob(.init([2]))),
        ("coalesce(NULL, 2, abs(-9223372036854775808))", 2), ("ifnull(NULL, 'x')", "x"), ("nullif(1, 1.0)", nil),
        ("typeof(1.0)", "real"),
        ("round(2.5)", 3.0), ("round(-2.5)", -3.0), ("round(2.675, 2)", 2.68), ("round(1.005, 2)", 1.01),
        ("round(1.0/3, 20)", 0.3333333333333333), ("round(0.125, 2)", 0.13), ("trim('  a ')", "a"),
        ("ltrim('xxabx', 'x')", "abx"), ("rtrim('abéé', 'é')", "ab"), ("replace('aXbX', 'X', 'yy')", "ayybyy"),
        ("replace(5, '', 'x')", 5),
        ("instr('日本語', '語')", 3), ("instr('abc', '')", 1), ("instr(x'0102', x'02')", 2), ("min(3, 1, 2)", 1),
        ("max(1, NULL)", nil),
        ("max(1, 1.0)", 1), ("hex('a')", "61"), ("char(65, 233)", "Aé"), ("unicode('é')", 233), ("sign(-2.5)", -1),
        ("iif(1, 'a', 'b')", "a"),
    ]

    @Test func `values match SQ lite`() throws {
        let sqlite = SQLiteLibrary.system.isAvailable ? try SQLiteStore(.memory) : nil
        for (sql, value) in Self.arithmetic + Self.comparisons + Self.conversions + Self.functions {
            do {
                #expect(try MemoryStore().rows("SELECT \(sql)", []) == [[value]], "\(sql)")
                guard let sqlite else { continue }
                #expect(try sqlite.rows("SELECT \(sql)", []) == [[value]], "\(sql): the table is wrong")
            } catch { Issue.record(error, "\(sql)") }
        }
    }

    @Test(arguments: ["abs(-9223372036854775808)", "2 IN (1, abs(-9223372036854775808))", "'a' LIKE 'b' ESCAPE 'xy'"])
    func `expressions that fail in SQ lite fail`(sql: String) {
        #expect(#expect(throws: StoreError.self) { try MemoryStore().rows("SELECT \(sql)", []) }?.code == .failed)
    }

    @Test(arguments: [
        "random()", "date('now')", "printf('%d', 1)", "total_changes()", "unheard(1)",
    ])
    func `unknown functions are rejected`(sql: String) {
        #expect(
            #expect(throws: StoreError.self) { try MemoryStore().rows("SELECT \(sql)", []) }?.code == .unsupportedSQL)
    }
}
