import Testing

@testable import DeltaSync
@testable import LocalStore

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

    @Test(arguments: ["", "\"id\" INTEGER,\"label\" TEXT/\"id\"", "1:2", "1:9", "2:-1", "1:x", "9:1", "1:14:a"])
    func `another text is no signature`(text: String) { #expect(TableSignature(text: text) == nil) }

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
            #expect(stored.isValid(for: other, allowsAdditions: false) == isValid, "\(other.text)")
            #expect(stored.isValid(for: other, allowsAdditions: true) == withAdditions, "\(other.text)")
        }
    }
}
