import Dispatch
import LocalStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import StoreCore

@Suite(.needsSlot) struct StoreMigratorTests {
    static let subjects = StoreSubject.all + [.locked]

    /// Three steps: a table, a column, and a row.
    private var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        migrator.add("create note") { store in
            try store.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
            try store.execute("INSERT INTO note VALUES (1, 'first')")
        }
        migrator.add("add note.color") { try $0.execute("ALTER TABLE note ADD COLUMN color TEXT") }
        migrator.add("fill note.color") { try $0.execute("UPDATE note SET color = 'red'") }
        return migrator
    }

    private func withStore(_ subject: StoreSubject, _ body: (any LocalStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        try body(store)
        try store.close()
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    // MARK: Steps

    @Test(arguments: subjects) func `each step runs once, in order`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            var migrator = migrator
            #expect(try migrator.appliedSteps(in: store) == [])
            #expect(try !migrator.isUpToDate(store))
            #expect(try migrator.migrate(store) == ["create note", "add note.color", "fill note.color"])
            #expect(try store.rows("SELECT * FROM note") == [[1, "first", "red"]])
            #expect(try migrator.appliedSteps(in: store) == migrator.stepNames)
            #expect(try migrator.isUpToDate(store))
            #expect(try migrator.migrate(store) == [])
            migrator.add("drop note") { try $0.execute("DROP TABLE note") }
            #expect(try !migrator.isUpToDate(store))
            #expect(try migrator.migrate(store) == ["drop note"])
            #expect(try store.tableNames() == [])
        }
    }

    @Test(arguments: subjects) func `steps run up to a given one`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let migrator = migrator
            #expect(try migrator.migrate(store, upTo: "add note.color") == ["create note", "add note.color"])
            #expect(try store.rows("SELECT color FROM note") == [[nil]])
            #expect(try !migrator.isUpToDate(store))
            // The store is beyond this step.
            #expect(try migrator.migrate(store, upTo: "create note") == [])
            #expect(error { try migrator.migrate(store, upTo: "nothing") }?.code == .invalidArgument)
            #expect(try migrator.migrate(store) == ["fill note.color"])
        }
    }

    @Test(arguments: subjects) func `no steps change nothing`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            #expect(try StoreMigrator().migrate(store) == [])
            #expect(try StoreMigrator().isUpToDate(store))
            #expect(try store.schema(of: "patchbay_migrations") == nil)
        }
    }

    // MARK: Failures

    @Test(arguments: subjects) func `a failing step is rolled back and not recorded`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let isFixed = Mutex(false)
            let steps = migrator
            var migrator = steps
            migrator.add("add s3cret") { store in
                try store.execute("INSERT INTO note (id, title) VALUES (2, 's3cret')")
                try store.execute("CREATE TABLE other (a)")
                if isFixed.withLock({ !$0 }) {
                    try store.execute("INSERT INTO note (id, title) VALUES (2, ?)", [.text("s3cret value")])
                }
            }
            migrator.add("last") { try $0.execute("INSERT INTO note (id, title) VALUES (3, 'last')") }
            let failure = try #require(error { try migrator.migrate(store) })
            #expect(failure.code == .constraint)
            #expect(failure.message.hasPrefix("Migration step \"add s3cret\": "))
            #expect(!failure.message.contains("value"))
            #expect(try migrator.appliedSteps(in: store) == steps.stepNames)
            #expect(try store.rows("SELECT id FROM note") == [[1]])
            #expect(try store.tableNames() == ["note"])
            isFixed.withLock { $0 = true }
            #expect(try migrator.migrate(store) == ["add s3cret", "last"])
            #expect(try store.rows("SELECT id FROM note ORDER BY id") == [[1], [2], [3]])
        }
    }

    @Test(arguments: subjects) func `a step's own error is rethrown as it is`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            var migrator = StoreMigrator()
            migrator.add("fails") { store in
                try store.execute("CREATE TABLE note (id)")
                throw Interruption()
            }
            #expect(throws: Interruption.self) { try migrator.migrate(store) }
            #expect(try migrator.appliedSteps(in: store) == [])
            #expect(try store.tableNames() == [])
        }
    }

    @Test(arguments: subjects) func `a store with other steps is not changed`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            try migrator.migrate(store)
            for names in [["create note"], ["create note", "fill note.color", "add note.color", "x"], ["x"], []] {
                var other = StoreMigrator()
                for name in names { other.add(name) { try $0.execute("DROP TABLE note") } }
                #expect(error { try other.migrate(store) }?.code == .migration)
                #expect(error { _ = try other.isUpToDate(store) }?.code == .migration)
                #expect(try other.appliedSteps(in: store) == migrator.stepNames)
            }
            var twice = migrator
            twice.add("create note") { _ in }
            #expect(error { try twice.migrate(store) }?.code == .invalidArgument)
            #expect(try store.rows("SELECT * FROM note") == [[1, "first", "red"]])
        }
    }

    // MARK: Transactions and subscribers

    @Test(arguments: subjects) func `steps in an outer transaction are rolled back with it`(
        subject: StoreSubject
    ) throws {
        try withStore(subject) { store throws in
            let migrator = migrator
            #expect(throws: Interruption.self) {
                try store.transaction {
                    #expect(try migrator.migrate(store).count == 3)
                    #expect(try migrator.appliedSteps(in: store).count == 3)
                    throw Interruption()
                }
            }
            #expect(try migrator.appliedSteps(in: store) == [])
            #expect(try store.tableNames() == [])
            #expect(try migrator.migrate(store).count == 3)
        }
    }

    @Test(arguments: subjects) func `each step is reported once, without the table of steps`(
        subject: StoreSubject
    ) throws {
        try withStore(subject) { store throws in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try migrator.migrate(store)
            #expect(log.take() == [["note"], ["note"], ["note"]])
            #expect(try store.tableNames() == ["note"])
            subscription.cancel()
        }
    }

    @Test func `a protected table cannot be migrated`() throws {
        let store = MemoryStore()
        try migrator.migrate(store, upTo: "create note")
        let refusal = store.protectedTables.protecting(["note"]) { error { try migrator.migrate(store) } }
        #expect(refusal?.code == .misuse)
        #expect(try migrator.appliedSteps(in: store) == ["create note"])
    }

    // MARK: Threads

    @Test(arguments: subjects) func `two threads at once run each step once`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let count = 20
            let isInFirstStep = DispatchSemaphore(value: 0)
            let otherThreadRuns = DispatchSemaphore(value: 0)
            let runs = Mutex<[Int]>([])
            var steps = StoreMigrator()
            for number in 1...count {
                steps.add("step \(number)") { store in
                    if number == 1 {
                        isInFirstStep.signal()
                        _ = otherThreadRuns.waitUnlessHung()
                        try store.execute("CREATE TABLE ran (step INTEGER)")
                    }
                    runs.withLock { $0.append(number) }
                    try store.execute("INSERT INTO ran VALUES (?)", [.integer(Int64(number))])
                }
            }
            let migrator = steps
            let names = Mutex<[String]>([])
            @Sendable func migrate() {
                do {
                    let ran = try migrator.migrate(store)
                    names.withLock { $0 += ran }
                } catch { Issue.record(error) }
            }
            let first = onThread { migrate() }
            #expect(isInFirstStep.waitUnlessHung())
            let second = onThread {
                otherThreadRuns.signal()
                migrate()
            }
            #expect(first() && second())
            #expect(runs.withLock { $0 } == Array(1...count))
            #expect(names.withLock(\.count) == count && Set(names.withLock { $0 }) == Set(migrator.stepNames))
            #expect(try store.rows("SELECT count(*), sum(step) FROM ran") == [[20, 210]])
            #expect(try migrator.isUpToDate(store))
        }
    }
}
