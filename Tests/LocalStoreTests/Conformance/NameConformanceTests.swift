import Foundation
import LocalStore
import StoreTestSupport
import Testing

/// SQL ignores the case of ASCII letters only, and compares all other text bytewise.
@Suite struct NameConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func lookalikesOfKeywordsAreNames(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            // Unicode case folding would turn these into IN, INDEX, LIKE and INT.
            try store.execute("CREATE TABLE ındex (ın ınt, li\u{212A}e INT)")
            try store.execute("INSERT INTO ındex (ın, li\u{212A}e) VALUES ('1', '1')")
            #expect(
                try store.rows("SELECT ın, typeof(ın), typeof(li\u{212A}e) FROM ındex") == [[1, "integer", "integer"]])
            #expect(#expect(throws: StoreError.self) { try store.execute("ſELECT 1") }?.code == .syntax)
            #expect(#expect(throws: StoreError.self) { try store.rows("SELECT 'a' li\u{212A}e 'A'") }?.code == .syntax)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func canonicallyEquivalentNamesAreDistinct(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.rows("SELECT :\u{E9}, :e\u{301}, :\u{E9}", [1, 2]) == [[1, 2, 1]])
            try store.execute("CREATE TABLE t (\u{E9} INT, e\u{301} INT)")
            try store.execute("INSERT INTO t VALUES (1, 2)")
            #expect(try store.rows("SELECT e\u{301}, \u{E9} FROM t") == [[2, 1]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func smallestIntegerCanBeADefault(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE t (a DEFAULT -9223372036854775808, b DEFAULT -0x10, c DEFAULT -2.5)")
            try store.execute("INSERT INTO t DEFAULT VALUES")
            #expect(try store.rows("SELECT * FROM t") == [[.integer(.min), -16, -2.5]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func charAndUnicodeUseCodePoints(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let rows = try store.rows(
                "SELECT hex(char(55296)), hex(char(65, 233, 8364, 128512)), hex(char(-1, 1114112)), char()")
            #expect(rows == [["EDA080", "41C3A9E282ACF09F9880", "EFBFBDEFBFBD", ""]])
            let codes = try store.rows(
                "SELECT unicode(char(55296)), unicode(char(65534)), unicode(x'80'), unicode(x'FF'), unicode('é')")
            #expect(codes == [[65533, 65533, 128, 65533, 233]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func statementsWithNULAreRejected(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(#expect(throws: StoreError.self) { try store.rows("SELECT 'a\0b'") }?.code == .syntax)
            #expect(#expect(throws: StoreError.self) { try store.rows("SELECT 1\0") }?.code == .syntax)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func sqliteMasterCanBeQueried(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE t (a TEXT UNIQUE)")
            let sql = "CREATE TABLE t (a TEXT UNIQUE)"
            #expect(try store.rows("SELECT name, sql FROM sqlite_master WHERE name = 't'") == [["t", .text(sql)]])
            var rows = try store.rows("SELECT * FROM sqlite_master WHERE tbl_name = 't'")
            // `rootpage` differs between stores.
            for index in rows.indices { rows[index].remove(at: 3) }
            #expect(rows == [["table", "t", "t", .text(sql)], ["index", "sqlite_autoindex_t_1", "t", .null]])
        }
    }
}
