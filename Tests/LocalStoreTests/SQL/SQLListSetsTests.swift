import StoreTestSupport
import Testing

@testable import LocalStore

/// Long lists of IN, which are hash sets.
@Suite struct SQLListSetsTests {
    @Test func `a list is built once for a statement`() throws {
        let list = BoundExpression.List((0..<9).map { .parameter($0) }, .integer)
        let sets = SQLListSets(.random())
        let expression = BoundExpression.in(.parameter(9), list, isNegated: false)
        for (first, isFound) in [(1, true), (20, true)] as [(Int64, Bool)] {
            // The second time with other parameters, as no statement has them.
            let parameters = (0..<9).map { SQLValue.integer(first + $0) } + [.integer(3)]
            let evaluator = SQLEvaluator(parameters: parameters, lists: sets)
            #expect(try evaluator.value(expression, in: NoRows(), at: 0) == .truth(isFound))
        }
        let other = SQLEvaluator(parameters: (20..<29).map { .integer($0) } + [.integer(3)], lists: .init(.random()))
        #expect(try other.value(expression, in: NoRows(), at: 0) == .truth(false))
    }

    @Test func `a list within a list is a set of its own`() throws {
        let store = MemoryStore()
        let numbers = (1...20).map(String.init).joined(separator: ", ")
        for (value, isFound) in [(1, 1), (0, 1), (21, 0)] as [(Int, StoreValue)] {
            let sql = "SELECT \(value) IN (\(numbers), 30 IN (\(numbers)))"
            #expect(try store.rows(sql, []) == [[isFound]])
        }
    }

    @Test func `a list that depends on the row is compared for each row`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        let numbers = (1...20).map(String.init).joined(separator: ", ")
        let insertion = "INSERT INTO t (a) VALUES (0), (0), (0) RETURNING"
        let few = try store.rows("\(insertion) 2 IN (last_insert_rowid())", [])
        #expect(Set(few).count == 2)
        try store.execute("DELETE FROM t")
        #expect(try store.rows("\(insertion) 22 IN (\(numbers), last_insert_rowid() + 20)", []) == few)
        #expect(try store.rows("SELECT id FROM t WHERE 22 IN (\(numbers), id + 20)", []) == [[2]])
    }

    /// Element by element, this would be 400 million comparisons.
    @Test func `rows that are not in a list of 20,000 texts are found`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE note (id TEXT PRIMARY KEY)")
        let ids = (0..<20_000).map { StoreValue.text("note \($0)") }
        try store.upsert(try RowBatch(["id"], ids.map { [$0] }), into: "note")
        let places = ids.map { _ in "?" }.joined(separator: ", ")
        let count = "SELECT count(*) FROM note WHERE id IN (\(places))"
        #expect(try store.rows(count, ids) == [[20_000]])
        var kept = ids
        kept[777] = "another"
        #expect(try store.execute("DELETE FROM note WHERE id NOT IN (\(places))", kept) == 1)
        #expect(try store.rows(count, kept) == [[19_999]])
    }
}
