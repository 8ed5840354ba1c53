import GRDB

extension StoredItem: FetchableRecord, PersistableRecord {}

struct GRDBStore: MeasuredStore {
    private let pool: DatabasePool

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: StoredItem.definition) }
    }

    func insert(_ items: [StoredItem]) throws {
        try pool.write { database in for item in items { try item.insert(database) } }
    }

    func clear() throws { _ = try pool.write { try StoredItem.deleteAll($0) } }

    func items() throws -> [StoredItem] { try pool.read { try StoredItem.fetchAll($0, sql: StoredItem.query) } }

    func item(_ id: Int) throws -> StoredItem? {
        try pool.read { try StoredItem.fetchOne($0, sql: StoredItem.lookup, arguments: [id]) }
    }
}
