import Foundation
import LocalStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.needsSlot) struct TransactionConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func transactionsCommitAtomically(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let count = try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try store.upsert(try RowBatch(["id"], [[2], [3]]), into: "jack")
                try store.delete(try RowBatch(["id"], [[1]]), from: "jack")
                // The transaction sees its own changes.
                #expect(try store.jackIDs() == [2, 3])
                #expect(try store.json("SELECT count(*) AS n FROM jack") == #"[{"n":2}]"#)
                return try store.rows("SELECT * FROM jack").count
            }
            #expect(count == 2)
            #expect(try store.jackIDs() == [2, 3])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func throwingRollsBackATransaction(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a')")
            #expect(throws: Interruption()) {
                try store.transaction {
                    try store.execute("UPDATE jack SET label = 'b'")
                    try store.upsert(try RowBatch(["id"], [[2]]), into: "jack")
                    try store.execute("CREATE TABLE other (a)")
                    try store.createTable(try TableSchema("shadow", columns: [.init("b")]))
                    try store.swapTable("jack", for: "shadow")
                    throw Interruption()
                }
            }
            #expect(try store.rows("SELECT id, label FROM jack") == [[1, "a"]])
            #expect(try store.tableNames() == ["jack"])
            #expect(try store.execute("DELETE FROM jack") == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func nestedTransactionsRollBackAlone(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try? store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (2)")
                    try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (3)") }
                    throw Interruption()
                }
                #expect(try store.jackIDs() == [1])
                try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (4)") }
            }
            #expect(try store.jackIDs() == [1, 4])
            try? store.transaction {
                try store.transaction { try store.execute("INSERT INTO jack (id) VALUES (5)") }
                throw Interruption()
            }
            #expect(try store.jackIDs() == [1, 4])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func transactionsSurviveAFailedCall(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                #expect(throws: StoreError.self) { try store.execute("INSERT INTO jack (id) VALUES (2), (1)") }
                #expect(throws: StoreError.self) {
                    try store.upsert(try RowBatch(["id"], [[3], [nil]]), into: "jack")
                }
                try store.execute("INSERT INTO jack (id) VALUES (4)")
            }
            #expect(try store.jackIDs() == [1, 4])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func otherThreadsSeeOnlyCommittedData(kind: StoreUnderTest) throws {
        try kind.run { store throws in
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
                if kind.supportsConcurrentReads { #expect(hasRead.waitUnlessHung()) }
                try store.execute("INSERT INTO jack (id) VALUES (2)")
            }
            #expect(wait())
            #expect(seen.withLock { $0.count } == 50)
            #expect(seen.withLock { $0.allSatisfy { $0 == 0 || $0 == 2 } })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func writersAreSerialized(kind: StoreUnderTest) throws {
        try kind.run { store throws in
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
            for wait in waits { #expect(wait()) }
            #expect(failures.withLock { $0 } == [])
            #expect(try store.value("SELECT \"any\" FROM jack") == 200)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func closedStoresRejectEveryCall(kind: StoreUnderTest) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try kind.make(folder)
        try store.createTable(StoreUnderTest.jacks)
        try store.transaction {
            #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .misuse)
        }
        try store.query("SELECT 1") { _ in
            #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .misuse)
            return true
        }
        try store.close()
        try store.close()
        let calls: [() throws -> Void] = [
            { try store.execute("SELECT 1") }, { _ = try store.rows("SELECT 1") },
            { _ = try store.queryJSON("SELECT 1") }, { _ = try store.tableNames() },
            { _ = try store.schema(of: "jack") },
            { try store.createTable(StoreUnderTest.jacks) }, { try store.swapTable("a", for: "jack") },
            { try store.upsert(try RowBatch(["id"], [[1]]), into: "jack") },
            { try store.delete(try RowBatch(["id"], [[1]]), from: "jack") }, { try store.transaction {} },
        ]
        for call in calls { #expect(#expect(throws: StoreError.self, performing: call)?.code == .closed) }
    }
}
