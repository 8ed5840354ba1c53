import Foundation
import LocalStore
import SQLiteStore

extension Harness {
    /// Compares inserting `Encodable` records with binding their values by hand.
    func recordInserts() async throws -> [Figure] {
        let items = (0..<count(100_000)).map { Item(number: $0) }
        var figures = [try await recordInserts("MemoryStore", items) { MemoryStore() }]
        guard SQLiteLibrary.system.isAvailable else { return figures }
        figures.append(try await recordInserts("SQLite in memory", items) { try SQLiteStore(.memory) })
        return figures
    }

    private func recordInserts(
        _ name: String, _ items: [Item], _ makeStore: () throws -> any LocalStore
    ) async throws -> Figure {
        func filled(_ insert: (any LocalStore) throws -> Void) throws {
            let store = try makeStore()
            try store.execute(
                """
                CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, region TEXT, price REAL, stock INTEGER,
                isActive INTEGER, created TEXT, note TEXT)
                """)
            try insert(store)
            try store.close()
        }
        return try await compare(
            "\(name): \(items.count) Encodable records inserted", operations: items.count,
            against: "values bound by hand", subject: { try filled { try $0.insert(items, into: "item") } },
            baseline: { try filled { try Self.insertByHand(items, into: $0) } })
    }

    // Synchronous, so that it is the blocking transaction.
    private static func insertByHand(_ items: [Item], into store: any LocalStore) throws {
        try store.transaction {
            for item in items {
                try store.execute(
                    "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        .integer(Int64(item.id)), .text(item.name), .text(item.region), .real(item.price),
                        .integer(Int64(item.stock)), .integer(item.isActive ? 1 : 0), item.created.storeValue,
                        item.note.map { .text($0) } ?? .null,
                    ])
            }
        }
    }

    private struct Item: Encodable {
        let id: Int
        let name: String
        let region: String
        let price: Double
        let stock: Int
        let isActive: Bool
        let created: Date
        let note: String?

        init(number: Int) {
            id = number
            name = "item number \(number)"
            region = ["north", "east", "south", "west"][number % 4]
            price = Double(number % 100_000) / 100
            stock = number &* 104_729 % 500
            isActive = number.isMultiple(of: 2)
            created = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
            note = number.isMultiple(of: 3) ? nil : "a note of some words"
        }
    }
}
