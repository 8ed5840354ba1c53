import Foundation
import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    /// Transactions, threads and closing.
    static let transactions: [StoreConformanceCase] = [
        StoreConformanceCase("transactions commit atomically") { store, _ in
            let count = try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try store.upsert(try RowBatch(["id"], [[2], [3]]), into: "jack")
                try store.delete(try RowBatch(["id"], [[1]]), from: "jack")
                // The transaction sees its own changes.
                try expect(store.jackIDs(), is: [2, 3])
                try expect(store.json("SELECT count(*) AS n FROM jack"), is: #"[{"n":2}]"#)
                return try store.rows("SELECT * FROM jack").count
            }
            try expect(count, is: 2)
            try expect(store.jackIDs(), is: [2, 3])
        },
        StoreConformanceCase("throwing rolls back a transaction") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a')")
            try expectInterruption {
                try store.transaction {
                    try store.execute("UPDATE jack SET label = 'b'")
                    try store.upsert(try RowBatch(["id"], [[2]]), into: "jack")
                    try store.execute("CREATE TABLE other (a)")
                    try store.createTable(try TableSchema("shadow", columns: [.init("b")]))
                    try store.swapTable("jack", for: "shadow")
                    throw Interruption()
                }
            }
            try expect(store.rows("SELECT id, label FROM jack"), is: [[1, "a"]])
            try expect(store.tableNames(), is: ["jack"])
            try expect(store.execute("DELETE FROM jack"), is: 1)
        },
        StoreConformanceCase("nested transactions roll back alone") { store, _ in
            try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try? store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (2)")
                    try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (3)") }
                    throw Interruption()
                }
                try expect(store.jackIDs(), is: [1])
                try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (4)") }
            }
            try expect(store.jackIDs(), is: [1, 4])
            try? store.transaction {
                try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (5)") }
                throw Interruption()
            }
            try expect(store.jackIDs(), is: [1, 4])
        },
        StoreConformanceCase("transactions survive a failed call") { store, _ in
            try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try expectError { try store.execute("INSERT INTO jack (id) VALUES (2), (1)") }
                try expectError {
                    try store.upsert(try RowBatch(["id"], [[3], [nil]]), into: "jack")
                }
                try store.execute("INSERT INTO jack (id) VALUES (4)")
            }
            try expect(store.jackIDs(), is: [1, 4])
        },
        StoreConformanceCase("other threads see only committed data") { store, subject in
            let seen = Mutex<[Int]>([])
            let (mayRead, hasRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let wait = onThread {
                mayRead.wait()
                for _ in 0..<50 {
                    let count = (try? store.rows("SELECT * FROM jack").count) ?? -1
                    seen.withLock { $0.append(count) }
                    hasRead.signal()
                }
            }
            try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                mayRead.signal()
                if subject.readsConcurrently { try expect(hasRead.wait(timeout: .now() + 600) == .success) }
                try store.execute("INSERT INTO jack (id) VALUES (2)")
            }
            try wait()
            try expect(seen.withLock { $0.count }, is: 50)
            try expect(seen.withLock { $0.allSatisfy { $0 == 0 || $0 == 2 } })
        },
        StoreConformanceCase("writers are serialized") { store, _ in
            try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, 0)")
            let failures = Mutex<[String]>([])
            let waits = (0..<4).map { _ in
                onThread {
                    for _ in 0..<50 {
                        do {
                            try store.transaction {
                                let rows = try store.rows("SELECT \"any\" FROM jack")
                                guard case .integer(let number)? = rows.first?.first else { throw Interruption() }
                                try store.execute("UPDATE jack SET \"any\" = ?", [.integer(number + 1)])
                            }
                        } catch { failures.withLock { $0.append("\(error)") } }
                    }
                }
            }
            for wait in waits { try wait() }
            try expect(failures.withLock { $0 }, is: [])
            try expect(store.value("SELECT \"any\" FROM jack"), is: 200)
        },
        StoreConformanceCase("closed stores reject every call") { store, _ in
            try store.transaction {
                try expectError(.misuse) { try store.close() }
            }
            try store.query("SELECT 1") { _ in
                try expectError(.misuse) { try store.close() }
                return true
            }
            try store.close()
            try store.close()
            let calls: [() throws -> Void] = [
                { try store.execute("SELECT 1") }, { _ = try store.rows("SELECT 1") },
                { _ = try store.queryJSON("SELECT 1") }, { _ = try store.tableNames() },
                { _ = try store.schema(of: "jack") },
                { try store.createTable(jacks) }, { try store.swapTable("a", for: "jack") },
                { try store.upsert(try RowBatch(["id"], [[1]]), into: "jack") },
                { try store.delete(try RowBatch(["id"], [[1]]), from: "jack") }, { try store.transaction {} },
            ]
            for call in calls { try expectError(.closed, of: call) }
        },
    ]
}
