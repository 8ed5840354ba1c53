import Dispatch
import Foundation
import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    /// Fills the table `jack`, so that a scan of it has a middle.
    private static func fill(_ store: any LocalStore, rows count: Int64 = 20_000) throws {
        var batch = try RowBatch(columns: ["id", "label", "gain"])
        for id in 0..<count {
            batch.beginRow()
            try batch.set(integer: id, at: 0)
            try batch.set(text: "a label of some length", at: 1)
            try batch.set(real: 0, at: 2)
        }
        try store.upsert(batch, into: "jack")
    }

    private static let scan: SQL = "SELECT count(*) FROM jack WHERE label LIKE '%some%width%'"

    /// Ending calls from outside.
    static let interruption: [StoreConformanceCase] = [
        StoreConformanceCase("interrupt ends a running query") { store, _ in
            try fill(store)
            let (isRunning, isInterrupted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let hasEnded = onThread {
                try expectError(.interrupted) {
                    try store.query("SELECT id FROM jack") { row in
                        guard row.int64(at: 0) == 0 else { return true }
                        isRunning.signal()
                        isInterrupted.wait()
                        return true
                    }
                }
            }
            isRunning.wait()
            store.interrupt()
            isInterrupted.signal()
            try hasEnded()
            try expect(store.value("SELECT count(*) FROM jack"), is: 20_000)
        },
        StoreConformanceCase("interrupt does not affect later calls") { store, _ in
            store.interrupt()
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.transaction {
                store.interrupt()
                try store.execute("INSERT INTO jack (id) VALUES (2)")
            }
            try expect(store.jackIDs(), is: [1, 2])
        },
        StoreConformanceCase("interrupted writes change nothing") { store, _ in
            try fill(store)
            let isInterrupted = Mutex(false)
            let updates = Mutex(0)
            let hasEnded = onThread {
                defer { isInterrupted.withLock { $0 = true } }
                try expectError(.interrupted) {
                    while true {
                        try store.execute("UPDATE jack SET gain = gain + 1")
                        updates.withLock { $0 += 1 }
                    }
                }
            }
            while !isInterrupted.withLock({ $0 }) {
                store.interrupt()
                Thread.sleep(forTimeInterval: 0.001)
            }
            try hasEnded()
            let count = StoreValue.real(Double(updates.withLock { $0 }))
            try expect(store.rows("SELECT min(gain), max(gain), count(*) FROM jack"), is: [[count, count, 20_000]])
        },
        StoreConformanceCase("an interrupted transaction is rolled back") { store, _ in
            try fill(store)
            let isInterrupted = Mutex(false)
            let hasEnded = onThread {
                defer { isInterrupted.withLock { $0 = true } }
                try expectError(.interrupted) {
                    try store.transaction {
                        try store.execute("DELETE FROM jack WHERE id = 0")
                        while true { _ = try store.rows(scan) }
                    }
                }
            }
            while !isInterrupted.withLock({ $0 }) {
                store.interrupt()
                Thread.sleep(forTimeInterval: 0.001)
            }
            try hasEnded()
            try expect(store.value("SELECT count(*) FROM jack"), is: 20_000)
        },
        StoreConformanceCase(asynchronous: "long queries of a cancelled task are interrupted") { store, _ in
            try fill(store)
            let isReading = Gate()
            let task = Task {
                try await store.read { reader throws -> Void in
                    isReading.open()
                    while true { _ = try reader.rows(scan) }
                }
            }
            try await isReading.wait()
            task.cancel()
            let result = await task.result
            try expectError(.interrupted) { try result.get() }
            try expect(store.value("SELECT count(*) FROM jack"), is: 20_000)
        },
    ]
}
