import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    @TaskLocal private static var local = 0

    /// The forms that suspend the calling task.
    static let asyncCalls: [StoreConformanceCase] = [
        StoreConformanceCase(asynchronous: "async read sees one snapshot") { store, subject in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a')")
            let rows = try await store.read { reader in
                try reader.rows("SELECT id, label FROM jack") + reader.rows("SELECT count(*) FROM jack")
            }
            try expect(rows, is: [[1, "a"], [1]])
            let error = await result { try await store.read { try $0.rows("SELECT * FROM nowhere") } }
            try expectError(.noSuchTable) { try error.get() }
            let write = await result { try await store.read { try $0.rows("DELETE FROM jack") } }
            try expectError(.misuse) { try write.get() }
        },
        StoreConformanceCase(asynchronous: "async transaction commits or rolls back") { store, _ in
            let count = try await store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                return try store.execute("INSERT INTO jack (id) VALUES (2), (3)")
            }
            try expect(count, is: 2)
            let failure = await result {
                try await store.transaction {
                    try store.execute("DELETE FROM jack")
                    throw Interruption()
                }
            }
            try expectInterruption { try failure.get() }
            try expect(store.jackIDs(), is: [1, 2, 3])
        },
        StoreConformanceCase(asynchronous: "async calls keep task-local values") { store, _ in
            let values = try await $local.withValue(7) {
                let read = try await store.read { _ in local }
                return [read, try await store.transaction { local }]
            }
            try expect(values, is: [7, 7])
        },
        StoreConformanceCase(asynchronous: "async transactions of many tasks are serialized") { store, _ in
            try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, 0)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await store.transaction {
                            guard case .integer(let number) = try store.value("SELECT \"any\" FROM jack") else {
                                return
                            }
                            try store.execute("UPDATE jack SET \"any\" = ?", [.integer(number + 1)])
                        }
                    }
                    group.addTask { _ = try await store.read { try $0.rows("SELECT * FROM jack") } }
                }
                try await group.waitForAll()
            }
            try expect(store.value("SELECT \"any\" FROM jack"), is: 50)
        },
        StoreConformanceCase(asynchronous: "async calls throw after close") { store, _ in
            try store.close()
            let read = await result { try await store.read { _ in } }
            try expectError(.closed) { try read.get() }
            let write = await result { try await store.transaction {} }
            try expectError(.closed) { try write.get() }
        },
    ]

    private static func result<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
