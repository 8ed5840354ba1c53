import Testing

@testable import DeltaSync
@testable import StoreCore

@Suite struct SchemaDriftTests {
    private static let id = TableSchema.Column("id", "INTEGER")
    private static let label = TableSchema.Column("label", "TEXT")

    @Test(
        arguments: [
            ([id, label], ["id"], .none), ([label, id], ["id"], .none),
            ([.init("ID", "integer"), label], ["ID"], .none),
            ([id], ["id"], .none), ([id, label, .init("note")], ["id"], .additions([.init("note")])),
            ([id, .init("note", "TEXT")], ["id"], .additions([.init("note", "TEXT")])),
            ([id, label, .init("note", isNotNull: true)], ["id"], .replacement),
            ([id, .init("label", "BLOB")], ["id"], .replacement),
            ([id, .init("label", "TEXT", isNotNull: true)], ["id"], .replacement),
            ([id, label], ["label"], .replacement), ([id, label], ["id", "label"], .replacement),
            ([.init("key", "INTEGER"), label], ["key"], .replacement),
        ] as [([TableSchema.Column], [SQLIdentifier], SchemaDrift)])
    func `drift between two schemas`(columns: [TableSchema.Column], key: [SQLIdentifier], drift: SchemaDrift) throws {
        let actual = try TableSchema("jack", columns: [Self.id, Self.label], primaryKey: ["id"])
        #expect(SchemaDrift(from: actual, to: try TableSchema("jack", columns: columns, primaryKey: key)) == drift)
    }

    @Test func `a surplus NOT NULL column needs a new table`() throws {
        let actual = try TableSchema("jack", columns: [Self.id, .init("old", isNotNull: true)], primaryKey: ["id"])
        #expect(
            SchemaDrift(from: actual, to: try TableSchema("jack", columns: [Self.id], primaryKey: ["id"]))
                == .replacement)
    }
}
