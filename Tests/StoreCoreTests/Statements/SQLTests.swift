import Foundation
import StoreCore
import Testing

@Suite struct SQLTests {
    @Test func `interpolated values become parameters`() {
        let (title, id, none) = ("it's", 7, Double?.none)
        let sql: SQL = "UPDATE note SET title = \(title), gain = \(none) WHERE id = \(id)"
        #expect(sql.text == "UPDATE note SET title = ?, gain = ? WHERE id = ?")
        #expect(sql.parameters == ["it's", nil, 7])
        let plain: SQL = "SELECT 1"
        #expect(plain.text == "SELECT 1" && plain.parameters.isEmpty)
    }

    @Test func `literals in an interpolation are values`() {
        let sql: SQL = "\("text") \(1) \(2.5) \(true) \(StoreValue.null)"
        #expect(sql.text == "? ? ? ? ?")
        #expect(sql.parameters == ["text", 1, 2.5, 1, nil])
    }

    @Test func `names, lists and fragments are inlined`() {
        let column: SQLIdentifier = "na\"me"
        let condition: SQL = "\(column) IN \(["a", "b"])"
        let sql: SQL = "SELECT \(column) FROM t WHERE x = \(1) AND \(condition) OR y IN \([Int]()) LIMIT \(5)"
        #expect(
            sql.text
                == #"SELECT "na""me" FROM t WHERE x = ? AND "na""me" IN (?, ?) OR y IN () LIMIT ?"#)
        #expect(sql.parameters == [1, "a", "b", 5])
    }

    @Test func `a description shows no value`() {
        let sql: SQL = "SELECT \("secret")"
        for text in ["\(sql)", String(reflecting: sql), "\([sql])"] { #expect(!text.contains("secret")) }
        var dumped = ""
        dump(sql, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func `values have the documented storage`() throws {
        enum Level: Int, StoreValueConvertible { case high = 3 }
        let uuid = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        let url = try #require(URL(string: "https://example.com/a?b=c"))
        let values: [(any StoreValueConvertible, StoreValue)] = [
            (true, 1), (false, 0), (Int8.min, -128), (Int16(5), 5), (Int32.max, 2_147_483_647),
            (Int64.max, .integer(.max)),
            (UInt8.max, 255), (UInt16.max, 65_535), (UInt32.max, 4_294_967_295), (Float(0.5), 0.5), (1.5, 1.5),
            (Double.nan, nil), (-Float.nan, nil), (Double.infinity, .real(.infinity)), ("a", "a"),
            ("abc".dropFirst(), "bc"), (Data([1]), .blob(Data([1]))),
            (Decimal(sign: .minus, exponent: -1, significand: 125), "-12.5"), (Decimal.nan, nil), (Level.high, 3),
            (Level?.none, nil),
            (Int??.some(.none), nil), (uuid, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
            (url, "https://example.com/a?b=c"),
            (Date(timeIntervalSince1970: 1_700_000_000.1239), "2023-11-14 22:13:20.124"),
            (Date(timeIntervalSince1970: -0.001), "1969-12-31 23:59:59.999"),
            (Date(timeIntervalSince1970: 1e15), 1e15), (Date(timeIntervalSince1970: -1e15), -1e15),
            (Date(timeIntervalSince1970: .infinity), .real(.infinity)), (Date(timeIntervalSince1970: .nan), nil),
        ]
        for (value, stored) in values { #expect(value.storeValue == stored) }
    }

    @Test(arguments: [
        (["id"], "title"), (["id", "title", "size"], "size"), (["id", ":title", "title"], ":title"), ([], "id"),
    ])
    func `a missing or unknown name is an error`(names: [String], named: String) {
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, 1 as (any StoreValueConvertible)?) })
        let error = #expect(throws: StoreError.self) {
            try SQL(verbatim: "SELECT :id, @title, $id", named: values)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(named) == true)
    }

    @Test func `a parameter without a name is an error`() {
        #expect(throws: StoreError.self) { try SQL(verbatim: "SELECT :id, ?", named: ["id": 1]) }
        #expect(throws: StoreError.self) { try SQL(verbatim: "SELECT ?2, :id", named: ["id": 1]) }
    }
}
