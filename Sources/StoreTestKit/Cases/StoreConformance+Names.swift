import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Names and texts: SQL ignores the case of ASCII letters in names, and compares all other text bytewise.
    static let names: [StoreConformanceCase] = [
        StoreConformanceCase("lookalikes of keywords are names") { store, _ in
            // Unicode case folding would turn these into IN, INDEX, LIKE and INT.
            try store.execute("CREATE TABLE ındex (ın ınt, li\u{212A}e INT)")
            try store.execute("INSERT INTO ındex (ın, li\u{212A}e) VALUES ('1', '1')")
            try expect(
                store.rows("SELECT ın, typeof(ın), typeof(li\u{212A}e) FROM ındex"), is: [[1, "integer", "integer"]])
            try expectError(.syntax) { try store.execute("ſELECT 1") }
            try expectError(.syntax) { try store.rows("SELECT 'a' li\u{212A}e 'A'") }
        },
        StoreConformanceCase("canonically equivalent names are distinct") { store, _ in
            try expect(store.rows("SELECT :\u{E9}, :e\u{301}, :\u{E9}", [1, 2]), is: [[1, 2, 1]])
            try store.execute("CREATE TABLE t (\u{E9} INT, e\u{301} INT)")
            try store.execute("INSERT INTO t VALUES (1, 2)")
            try expect(store.rows("SELECT e\u{301}, \u{E9} FROM t"), is: [[2, 1]])
        },
        StoreConformanceCase("smallest integer can be a default") { store, _ in
            try store.execute("CREATE TABLE t (a DEFAULT -9223372036854775808, b DEFAULT -0x10, c DEFAULT -2.5)")
            try store.execute("INSERT INTO t DEFAULT VALUES")
            try expect(store.rows("SELECT * FROM t"), is: [[.integer(.min), -16, -2.5]])
        },
        StoreConformanceCase("char and unicode use code points") { store, _ in
            let rows = try store.rows(
                "SELECT hex(char(55296)), hex(char(65, 233, 8364, 128512)), hex(char(-1, 1114112)), char()")
            try expect(rows, is: [["EDA080", "41C3A9E282ACF09F9880", "EFBFBDEFBFBD", ""]])
            let codes = try store.rows(
                "SELECT unicode(char(55296)), unicode(char(65534)), unicode(x'80'), unicode(x'FF'), unicode('é')")
            try expect(codes, is: [[65533, 65533, 128, 65533, 233]])
        },
        StoreConformanceCase("statements with NUL are rejected") { store, _ in
            try expectError(.syntax) { try store.rows("SELECT 'a\0b'") }
            try expectError(.syntax) { try store.rows("SELECT 1\0") }
        },
        StoreConformanceCase("sqlite_master can be queried") { store, _ in
            try store.execute("CREATE TABLE t (a TEXT UNIQUE)")
            let sql = "CREATE TABLE t (a TEXT UNIQUE)"
            try expect(store.rows("SELECT name, sql FROM sqlite_master WHERE name = 't'"), is: [["t", .text(sql)]])
            var rows = try store.rows("SELECT * FROM sqlite_master WHERE tbl_name = 't'")
            // `rootpage` differs between stores.
            for index in rows.indices { rows[index].remove(at: 3) }
            try expect(rows, is: [["table", "t", "t", .text(sql)], ["index", "sqlite_autoindex_t_1", "t", .null]])
        },
    ]
}
