import Foundation
import LocalStore
import SQLiteStore

extension Harness {
    /// Measures what observers of a store add to its commits, on the committing thread.
    func storeObservation() async throws -> [Figure] {
        var figures = try await observation("MemoryStore") { MemoryStore() }
        guard SQLiteLibrary.system.isAvailable else { return figures }
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        figures += try await observation("SQLite in a file") {
            try SQLiteStore(.file(folder.path("\(UUID().uuidString).sqlite")))
        }
        return figures
    }

    private func observation(_ name: String, _ makeStore: () throws -> any LocalStore) async throws -> [Figure] {
        let commits = count(20_000)
        let (plain, pending, observed) = (try makeStore(), try makeStore(), try makeStore())
        for store in [plain, pending, observed] {
            try store.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, count INTEGER)")
            try store.execute("INSERT INTO item VALUES (1, 0), (2, 0)")
        }
        func commit(to store: any LocalStore) throws {
            for _ in 0..<commits { try store.execute("UPDATE item SET count = count + 1 WHERE id = ?", [.integer(1)]) }
        }
        // It has taken its first value and does not wait for the next one.
        var values = pending.observe { try $0.value(of: Int.self, "SELECT sum(count) FROM item") }.makeAsyncIterator()
        _ = try await values.next()
        let task = Task {
            for try await _ in observed.observe({ try $0.value(of: Int.self, "SELECT sum(count) FROM item") }) {}
        }
        let figures = [
            try await compare(
                "\(name): commit with an observation that has a pending change", operations: commits,
                against: "without", subject: { try commit(to: pending) }, baseline: { try commit(to: plain) }),
            try await compare(
                "\(name): commit beside an observation that queries all the time", operations: commits,
                against: "without", subject: { try commit(to: observed) }, baseline: { try commit(to: plain) }),
        ]
        task.cancel()
        try await task.value
        withExtendedLifetime(values) {}
        for store in [plain, pending, observed] { try store.close() }
        return figures
    }
}
