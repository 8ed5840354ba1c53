import Testing

@testable import DeltaSync
@testable import StoreCore

@Suite struct TableSignatureTests {
    private static func signature(_ columns: [(SQLIdentifier, String)], key: [SQLIdentifier] = ["id"]) throws
        -> TableSignature
    {
        let columns = columns.map { TableSchema.Column($0.0, $0.1) }
        return TableSignature(try TableSchema("jack", columns: columns, primaryKey: key))
    }

    @Test func `the text is read again, also with names that contain its punctuation`() throws {
        for names in [["id"], ["id", "2:a", "\"", ",", "é", "a/b"]] {
            let signature = try Self.signature(names.map { (SQLIdentifier($0), "TEXT") })
            #expect(TableSignature(text: signature.text) == signature)
        }
    }

    @Test(arguments: [
        "", "\"id\" INTEGER,\"label\" TEXT/\"id\"", "1:2", "1:91:0", "2:-11:0", "1:x1:0", "9:1", "1:11:11:a",
        "1:11:21:a",
    ])
    func `another text is no signature`(text: String) { #expect(TableSignature(text: text) == nil) }

    @Test func `columns that the server no longer has are known, until it has them again`() throws {
        let all = try Self.signature([("id", "INTEGER"), ("a b", "TEXT"), ("c", "TEXT")])
        let some = try Self.signature([("id", "INTEGER"), ("c", "TEXT")])
        let fewer = try #require(all.changed(to: some, allowsAdditions: false))
        #expect(fewer.matches(some) && TableSignature(text: fewer.text) == fewer)
        #expect(fewer.lacks("A B") && fewer.contains("a b") && !fewer.lacks("c") && fewer.contains("C"))
        #expect(!fewer.contains("d") && !fewer.lacks("d"))
        #expect(fewer.changed(to: all, allowsAdditions: true)?.lacks("a b") == false)
    }

    @Test func `rows stay valid when columns are removed, not when their order, a type or the key changes`() throws {
        let stored = try Self.signature([("id", "INTEGER"), ("a", "TEXT"), ("b", "TEXT")])
        let cases: [(TableSignature, isValid: Bool, withAdditions: Bool)] = [
            (try Self.signature([("ID", "integer"), ("A", "text"), ("b", "TEXT")]), true, true),
            (try Self.signature([("id", "INTEGER"), ("b", "TEXT")]), true, true),
            (try Self.signature([("id", "INTEGER"), ("b", "TEXT"), ("a", "TEXT")]), false, false),
            (try Self.signature([("a", "TEXT"), ("id", "INTEGER"), ("b", "TEXT")]), false, false),
            (try Self.signature([("id", "INTEGER"), ("c", "TEXT"), ("a", "TEXT"), ("b", "TEXT")]), false, true),
            (try Self.signature([("id", "INTEGER"), ("a", "BLOB"), ("b", "TEXT")]), false, true),
            (try Self.signature([("id", "INTEGER"), ("a", "TEXT"), ("b", "TEXT")], key: ["a"]), false, false),
        ]
        for (other, isValid, withAdditions) in cases {
            #expect((stored.changed(to: other, allowsAdditions: false) != nil) == isValid, "\(other.text)")
            #expect((stored.changed(to: other, allowsAdditions: true) != nil) == withAdditions, "\(other.text)")
        }
    }
}
