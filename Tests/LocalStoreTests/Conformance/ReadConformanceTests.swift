import Dispatch
import Foundation
import LocalStore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct ReadConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func readIsIsolatedFromConcurrentCommits(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'plate'), (2, 'panel')")
            var isWritten: (@Sendable () -> Bool)?
            try store.read { reader throws in
                let written = onThread {
                    try? store.transaction {
                        try store.execute("UPDATE jack SET label = 'changed'")
                        try store.execute("DELETE FROM jack WHERE id = 2")
                        try store.execute("ALTER TABLE jack ADD COLUMN colour TEXT")
                        try store.execute("CREATE TABLE cable (id INTEGER PRIMARY KEY)")
                    }
                }
                isWritten = written
                // Otherwise the writer waits for this reader.
                if kind.supportsConcurrentReads { #expect(written()) }
                #expect(try reader.rows("SELECT id, label FROM jack ORDER BY id") == [[1, "plate"], [2, "panel"]])
                #expect(try reader.rows("SELECT label FROM jack WHERE id = ?", [2]) == [["panel"]])
                #expect(try reader.rows("SELECT * FROM jack WHERE id = 1").first?.count == 5)
                #expect(throws: StoreError.self) { try reader.rows("SELECT * FROM cable") }
                #expect(try reader.rows("SELECT count(*) FROM jack") == [[2]])
            }
            if !kind.supportsConcurrentReads { #expect(isWritten?() == true) }
            #expect(try store.rows("SELECT id, label FROM jack") == [[1, "changed"]])
            try store.read { reader throws in
                #expect(try reader.rows("SELECT * FROM jack").first?.count == 6)
                #expect(try reader.rows("SELECT * FROM cable").isEmpty)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readersSeeOnlyWholeTransactions(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, gain) VALUES (1, 0), (2, 0)")
            let rounds = 200
            let isWritten = onThread {
                for round in 1...rounds {
                    try? store.transaction {
                        try store.execute("UPDATE jack SET gain = ? WHERE id = 1", [.integer(Int64(round))])
                        try store.execute("UPDATE jack SET gain = ? WHERE id = 2", [.integer(Int64(round))])
                        if round.isMultiple(of: 3) { throw Interruption() }
                    }
                }
            }
            let readers = (0..<3).map { _ in
                onThread {
                    for _ in 0..<rounds {
                        let gains = try? store.read { reader in
                            try [1, 2, 1].map { try reader.rows("SELECT gain FROM jack WHERE id = ?", [$0])[0][0] }
                        }
                        #expect(gains.map { Set($0).count } == 1)
                    }
                }
            }
            for hasRead in readers { #expect(hasRead()) }
            #expect(isWritten())
            #expect(try store.rows("SELECT gain FROM jack") == [[200.0], [200.0]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func snapshotIsTakenWhenReadBegins(kind: StoreUnderTest) throws {
        guard kind.supportsConcurrentReads else { return }
        try kind.run { store throws in
            try store.read { reader throws in
                let written = onThread { _ = try? store.execute("INSERT INTO jack (id) VALUES (1)") }
                #expect(written())
                #expect(try reader.rows("SELECT id FROM jack").isEmpty)
            }
            #expect(try store.jackIDs() == [1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func callbacksCanQueryAgain(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            var seen: [[StoreValue]] = []
            try store.read { reader throws in
                try reader.query("SELECT id FROM jack ORDER BY id") { outer in
                    let id = outer.value(at: 0)
                    // The same statement, while it is running.
                    try reader.query("SELECT id FROM jack ORDER BY id") { inner in
                        guard inner.value(at: 0) == id else { return true }
                        let label = try reader.rows("SELECT label FROM jack WHERE id = ?", [id])
                        seen.append([outer.value(at: 0), inner.value(at: 0), label[0][0]])
                        return false
                    }
                    return true
                }
            }
            #expect(seen == [[1, 1, "a"], [2, 2, "b"], [3, 3, "c"]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func preparedQueriesAreReusableAndReentrant(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            var seen: [StoreValue] = []
            try store.read { reader throws in
                try reader.prepare("SELECT label, id + 1 FROM jack WHERE id = ?") { byKey throws in
                    try follow(1, with: byKey, into: &seen)
                    let error = #expect(throws: StoreError.self) { try byKey.query { _ in true } }
                    #expect(error?.code == .invalidArgument)
                    try follow(3, with: byKey, into: &seen)
                }
                for sql in ["DELETE FROM jack", "SELECT * FROM none", "SELECT"] {
                    #expect(throws: StoreError.self) { try reader.prepare(sql) { _ in } }
                }
            }
            #expect(seen == ["a", "b", "c", "c"])
        }
    }

    private func follow(_ id: Int64, with byKey: borrowing PreparedQuery, into seen: inout [StoreValue]) throws {
        try byKey.query([.integer(id)]) { row in
            seen.append(row.value(at: 0))
            try follow(row.int64(at: 1) ?? 0, with: byKey, into: &seen)
            return true
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readersRejectWrites(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.read { reader throws in
                for sql in [
                    "DELETE FROM jack", "UPDATE jack SET id = 2", "INSERT INTO jack (id) VALUES (2)", "DROP TABLE jack",
                ] {
                    let error = #expect(throws: StoreError.self) { try reader.rows(sql) }
                    #expect(error?.code == .misuse)
                }
                #expect(throws: StoreError.self) { try reader.rows("BEGIN") }
                #expect(try reader.rows("SELECT id FROM jack") == [[1]])
            }
            #expect(try store.jackIDs() == [1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readInsideATransactionSeesItsWrites(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(throws: Interruption()) {
                try store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (1)")
                    try store.read { reader throws in #expect(try reader.rows("SELECT id FROM jack") == [[1]]) }
                    try store.execute("INSERT INTO jack (id) VALUES (2)")
                    try store.read { reader throws in #expect(try reader.rows("SELECT id FROM jack") == [[1], [2]]) }
                    throw Interruption()
                }
            }
            #expect(try store.jackIDs().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func errorsOfTheBodyEndTheRead(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(throws: Interruption()) { try store.read { _ in throw Interruption() } }
            #expect(throws: Interruption()) {
                try store.read { try $0.query("SELECT 1") { _ in throw Interruption() } }
            }
            #expect(try store.read { try $0.rows("SELECT 1") } == [[1]])
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            #expect(try store.read { try $0.rows("SELECT id FROM jack") } == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readerSurvivesFailedQueries(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'plate')")
            try store.read { reader throws in
                for (sql, parameters, code) in [
                    ("SELECT ?", [], StoreError.Code.invalidArgument), ("SELECT 1", [1], .invalidArgument),
                    ("SELECT * FROM none", [], .noSuchTable), ("SELECT none FROM jack", [], .noSuchColumn),
                    ("SELECT FROM", [], .syntax), ("SELECT 1; SELECT 2", [], .syntax),
                ] as [(String, [StoreValue], StoreError.Code)] {
                    let error = #expect(throws: StoreError.self) { try reader.rows(sql, parameters) }
                    #expect(error?.code == code, "\(sql)")
                }
                #expect(
                    try String(decoding: reader.queryJSON("SELECT id, label FROM jack"), as: UTF8.self)
                        == "[{\"id\":1,\"label\":\"plate\"}]")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func storeCallsInsideReadWorkOrThrowMisuse(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            var refused = 0
            try store.read { reader throws in
                let calls: [() throws -> Void] = [
                    { try store.query("SELECT 1") { _ in true } },
                    { try store.execute("INSERT INTO jack (id) VALUES (1)") },
                    { try store.transaction { _ = try store.execute("INSERT INTO jack (id) VALUES (2)") } },
                    { _ = try store.tableNames() }, { try store.read { _ = try $0.rows("SELECT 1") } },
                ]
                for call in calls {
                    do { try call() } catch let error as StoreError {
                        #expect(error.code == .misuse)
                        refused += 1
                    }
                }
                #expect(try reader.rows("SELECT id FROM jack").isEmpty)
                let error = #expect(throws: StoreError.self) { try store.close() }
                #expect(error?.code == .misuse)
            }
            #expect(refused == (kind.supportsConcurrentReads ? 0 : 5))
            #expect(try store.jackIDs() == (kind.supportsConcurrentReads ? [1, 2] : []))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readThrowsAfterClose(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.close()
            let error = #expect(throws: StoreError.self) { try store.read { _ in } }
            #expect(error?.code == .closed)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func readerCanWriteWhileAnotherThreadCloses(kind: StoreUnderTest) throws {
        guard kind.supportsConcurrentReads else { return }
        try kind.run { store throws in
            var isClosed = { false }
            try store.read { reader throws in
                isClosed = onThread { try? store.close() }
                for id in 0..<200 as Range<Int64> {
                    try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(id)])
                }
                #expect(try reader.rows("SELECT id FROM jack").isEmpty)
            }
            #expect(isClosed())
            #expect(throws: StoreError.self) { try store.read { _ in } }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func closeWaitsForReaders(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let hasRead = onThread {
                try? store.read { reader throws in
                    isReading.signal()
                    mayEnd.wait()
                    #expect(try reader.rows("SELECT id FROM jack").isEmpty)
                }
            }
            isReading.wait()
            let isClosed = onThread { try? store.close() }
            mayEnd.signal()
            #expect(hasRead())
            #expect(isClosed())
            #expect(throws: StoreError.self) { try store.read { _ in } }
        }
    }
}
