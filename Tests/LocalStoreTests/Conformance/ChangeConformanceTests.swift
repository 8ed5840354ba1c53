import LocalStore
import StoreTestSupport
import Synchronization
import Testing

@Suite struct ChangeConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func eachCommitIsReportedOnce(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            #expect(log.take() == [["jack"]])
            try store.upsert(try RowBatch(["id"], [[1], [2]]), into: "JACK")
            #expect(log.take() == [["jack"]])
            try store.delete(try RowBatch(["id"], [[2]]), from: "jack")
            #expect(log.take() == [["jack"]])
            try store.createTable(try TableSchema("other", columns: [.init("a")]))
            #expect(log.take() == [["other"]])
            try store.transaction {
                try store.execute("INSERT INTO other VALUES (1)")
                try store.execute("UPDATE jack SET label = 'x'")
                try? store.transaction {
                    try store.execute("CREATE TABLE third (a)")
                    throw Interruption()
                }
                #expect(log.take() == [])
            }
            #expect(log.take() == [["jack", "other"]])
            try store.execute("ALTER TABLE other ADD COLUMN b")
            #expect(log.take() == [["other"]])
            try store.swapTable("jack", for: "other")
            #expect(log.take() == [["jack", "other"]])
            try store.execute("DROP TABLE jack")
            #expect(log.take() == [["jack"]])
            subscription.cancel()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func reservedTablesAreHidden(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.execute("CREATE TABLE Patchbay_own (a)")
            try store.transaction {
                try store.execute("INSERT INTO patchbay_own VALUES (1)")
                try store.execute("INSERT INTO jack (id) VALUES (1)")
            }
            #expect(log.take() == [["jack"]])
            #expect(try store.tableNames() == ["jack"])
            #expect(try store.tableNames(like: "patch%") == [])
            #expect(try store.schema(of: "patchbay_own") != nil)
            subscription.cancel()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func statementsWithoutEffectAreNotReported(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            _ = try store.rows("SELECT * FROM jack")
            try store.execute("UPDATE jack SET label = 'x'")
            try store.execute("DELETE FROM jack")
            #expect(throws: StoreError.self) { try store.execute("INSERT INTO jack (id) VALUES ('no number')") }
            try? store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                throw Interruption()
            }
            try store.transaction {}
            try store.execute("CREATE TABLE IF NOT EXISTS jack (id)")
            try store.execute("DROP TABLE IF EXISTS other")
            #expect(log.take() == [])
            try store.execute("CREATE TABLE IF NOT EXISTS other (a)")
            #expect(log.take() == [["other"]])
            try store.execute("DROP TABLE IF EXISTS other")
            #expect(log.take() == [["other"]])
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            #expect(log.take() == [["jack"]])
            subscription.cancel()
            try store.execute("DELETE FROM jack")
            #expect(log.take() == [])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func subscriptionEndsWhenTheTokenIsReleased(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let log = ChangeLog()
            do {
                let subscription = store.subscribe(log.note)
                try withExtendedLifetime(subscription) { _ = try store.execute("INSERT INTO jack (id) VALUES (1)") }
            }
            try store.execute("DELETE FROM jack")
            #expect(log.take().count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func handlersCanUseTheStore(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let seen = Mutex<[StoreValue]>([])
            let subscription = store.subscribe { change in
                guard change.tables.contains("jack") else { return }
                let ids = (try? store.jackIDs()) ?? []
                seen.withLock { $0 += ids }
                _ = try? store.transaction { try store.execute("CREATE TABLE copy (a)") }
            }
            try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (1)") }
            #expect(seen.withLock { $0 } == [1])
            #expect(try store.tableNames() == ["copy", "jack"])
            subscription.cancel()
        }
    }
}
