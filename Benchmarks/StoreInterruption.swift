import LocalStore
import SQLiteStore

extension Harness {
    /// Measures how long a query still runs after `interrupt()` or the cancellation of its task.
    func storeInterruption() async throws -> [Lateness] {
        let memory = MemoryStore()
        try memory.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        try memory.insert((0..<200_000).map { Item(id: $0, name: "item number \($0)") }, into: "item")
        let terms = (0..<200).map { "name LIKE '%m%e%r%\($0)%x%'" }.joined(separator: " OR ")
        var findings = try await interruption(
            "MemoryStore", of: memory, SQL(verbatim: "SELECT count(*) FROM item WHERE \(terms)"))
        guard SQLiteLibrary.system.isAvailable else { return findings }
        findings += try await interruption(
            "SQLite in memory", of: SQLiteStore(.memory),
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
        return findings
    }

    private struct Item: Encodable {
        let id: Int
        let name: String
    }

    /// - Parameter endless: a query that runs for seconds.
    private func interruption(_ name: String, of store: some LocalStore, _ endless: SQL) async throws -> [Lateness] {
        [
            try await lateness("\(name): query after interrupt()", of: store, endless) { _ in store.interrupt() },
            try await lateness("\(name): query after the task is cancelled", of: store, endless) { $0.cancel() },
        ]
    }

    private func lateness(
        _ name: String, of store: some LocalStore, _ endless: SQL,
        _ end: (Task<ContinuousClock.Instant, any Error>) -> Void
    ) async throws -> Lateness {
        var times: [Double] = []
        for _ in 0..<count(40) {
            let task = Task {
                do {
                    _ = try await store.read { try $0.rows(endless) }
                    throw StoreError(.failed, "The query ended before it was interrupted; make it longer.")
                } catch let error as StoreError where error.code == .interrupted {}
                return ContinuousClock.now
            }
            try await Task.sleep(for: .milliseconds(20))
            let start = ContinuousClock.now
            end(task)
            times.append((try await task.value - start) / .seconds(1))
        }
        return Lateness(name: name, calls: times.count, median: times.median, maximum: times.max() ?? 0)
    }
}
