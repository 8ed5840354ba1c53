import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    /// Change notifications.
    static let changes: [StoreConformanceCase] = [
        StoreConformanceCase("each commit is reported once") { store, _ in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try expect(log.take(), is: [["jack"]])
            try store.upsert(try RowBatch(["id"], [[1], [2]]), into: "JACK")
            try expect(log.take(), is: [["jack"]])
            try store.delete(try RowBatch(["id"], [[2]]), from: "jack")
            try expect(log.take(), is: [["jack"]])
            try store.createTable(try TableSchema("other", columns: [.init("a")]))
            try expect(log.take(), is: [["other"]])
            try store.transaction {
                try store.execute("INSERT INTO other VALUES (1)")
                try store.execute("UPDATE jack SET label = 'x'")
                try? store.transaction {
                    try store.execute("CREATE TABLE third (a)")
                    throw Interruption()
                }
                try expect(log.take(), is: [])
            }
            try expect(log.take(), is: [["jack", "other"]])
            try store.execute("ALTER TABLE other ADD COLUMN b")
            try expect(log.take(), is: [["other"]])
            try store.swapTable("jack", for: "other")
            try expect(log.take(), is: [["jack", "other"]])
            try store.execute("DROP TABLE jack")
            try expect(log.take(), is: [["jack"]])
            subscription.cancel()
        },
        StoreConformanceCase("reserved tables are hidden") { store, _ in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.execute("CREATE TABLE Patchbay_own (a)")
            try store.transaction {
                try store.execute("INSERT INTO patchbay_own VALUES (1)")
                try store.execute("INSERT INTO jack (id) VALUES (1)")
            }
            try expect(log.take(), is: [["jack"]])
            try expect(store.tableNames(), is: ["jack"])
            try expect(store.tableNames(like: "patch%"), is: [])
            try expect(store.schema(of: "patchbay_own") != nil)
            subscription.cancel()
        },
        StoreConformanceCase("statements without effect are not reported") { store, _ in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            _ = try store.rows("SELECT * FROM jack")
            try store.execute("UPDATE jack SET label = 'x'")
            try store.execute("DELETE FROM jack")
            try expectError { try store.execute("INSERT INTO jack (id) VALUES ('no number')") }
            try? store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                throw Interruption()
            }
            try store.transaction {}
            try store.execute("CREATE TABLE IF NOT EXISTS jack (id)")
            try store.execute("DROP TABLE IF EXISTS other")
            try expect(log.take(), is: [])
            try store.execute("CREATE TABLE IF NOT EXISTS other (a)")
            try expect(log.take(), is: [["other"]])
            try store.execute("DROP TABLE IF EXISTS other")
            try expect(log.take(), is: [["other"]])
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try expect(log.take(), is: [["jack"]])
            subscription.cancel()
            try store.execute("DELETE FROM jack")
            try expect(log.take(), is: [])
        },
        StoreConformanceCase("subscription ends when the token is released") { store, _ in
            let log = ChangeLog()
            do {
                let subscription = store.subscribe(log.note)
                try withExtendedLifetime(subscription) { _ = try store.execute("INSERT INTO jack (id) VALUES (1)") }
            }
            try store.execute("DELETE FROM jack")
            try expect(log.take().count, is: 1)
        },
        StoreConformanceCase("a handler that another one cancels is not called") { store, _ in
            let log = ChangeLog()
            let later = Mutex<StoreSubscription?>(nil)
            let first = store.subscribe { _ in later.withLock { $0 }?.cancel() }
            let second = store.subscribe(log.note)
            later.withLock { $0 = second }
            try withExtendedLifetime(first) { _ = try store.execute("INSERT INTO jack (id) VALUES (1)") }
            try expect(log.take(), is: [])
        },
        StoreConformanceCase("handlers can use the store") { store, _ in
            let seen = Mutex<[StoreValue]>([])
            let subscription = store.subscribe { change in
                guard change.tables.contains("jack") else { return }
                let ids = (try? store.jackIDs()) ?? []
                seen.withLock { $0 += ids }
                _ = try? store.transaction { try store.execute("CREATE TABLE copy (a)") }
            }
            try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (1)") }
            try expect(seen.withLock { $0 }, is: [1])
            try expect(store.tableNames(), is: ["copy", "jack"])
            subscription.cancel()
        },
    ]
}
