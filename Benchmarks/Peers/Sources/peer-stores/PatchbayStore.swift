import SQLiteStore
import StoreCore

struct PatchbayStore: MeasuredStore {
    private let store: SQLiteStore

    init(path: String) throws {
        store = try SQLiteStore(.file(path))
        try store.execute(SQL(verbatim: StoredItem.definition))
    }

    func insert(_ items: [StoredItem]) throws { try store.insert(items, into: "storedItem") }

    func clear() throws { try store.execute("DELETE FROM storedItem") }

    func items() throws -> [StoredItem] { try store.rows(as: StoredItem.self, SQL(verbatim: StoredItem.query)) }

    func item(_ id: Int) throws -> StoredItem? {
        try store.first(as: StoredItem.self, SQL(verbatim: StoredItem.lookup, [id]))
    }
}
