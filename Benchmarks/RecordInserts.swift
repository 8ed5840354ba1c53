import Foundation
import LocalStore
import SQLiteStore

extension Harness {
    /// Compares inserting `Encodable` records with binding their values by hand.
    func recordInserts() async throws -> [Figure] {
        let items = (0..<count(100_000)).map(Measurement.init(number:))
        var figures = [try await recordInserts("MemoryStore", items) { MemoryStore() }]
        guard SQLiteLibrary.system.isAvailable else { return figures }
        figures.append(try await recordInserts("SQLite in memory", items) { try SQLiteStore(.memory) })
        return figures
    }

    private func recordInserts(
        _ name: String, _ items: [Measurement], _ makeStore: () throws -> any LocalStore
    ) async throws -> Figure {
        func filled(_ insert: (any LocalStore) throws -> Void) throws {
            let store = try makeStore()
            try store.execute(Measurement.definition)
            try insert(store)
            try store.close()
        }
        return try await compare(
            "\(name): \(items.count) Encodable records inserted", operations: items.count,
            against: "values bound by hand", subject: { try filled { try $0.insert(items, into: "measurement") } },
            baseline: { try filled { try Self.insertByHand(items, into: $0) } })
    }

    // Synchronous, so that it is the blocking transaction.
    private static func insertByHand(_ items: [Measurement], into store: any LocalStore) throws {
        try store.transaction {
            for item in items {
                try store.execute(
                    "INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        .integer(Int64(item.id)), .integer(Int64(item.station)), .text(item.label), .real(item.gain),
                        .real(item.level), .integer(item.isValid ? 1 : 0), item.taken.storeValue,
                        item.note.map { .text($0) } ?? .null,
                    ])
            }
        }
    }
}
