import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import Testing

@testable import LocalStore

/// What becomes of commits when calls to the system fail.
@Suite struct JournalFaultTests {
    /// One call fails, whichever it is: that commit is reported as failed and has changed nothing, or has counted.
    @Test(arguments: [(true, EIO), (false, ENOSPC)])
    func `a failed call loses nothing and invents nothing`(isSynchronous: Bool, code: CInt) throws {
        var place = 0
        var failures = 0
        while true {
            var isReached = false
            try JournalWorld.run { world in
                let disk = FaultyDisk(journal: world.path)
                let store = try world.open(
                    rotationSize: 600, frameSize: 300, isSynchronous: isSynchronous, disk: disk.calls)
                try store.makeTables()
                let wanted = place
                disk.fail(with: code) { $1 == wanted }
                var generator = SeededGenerator(seed: 5)
                var stepsAfter = 0
                for step in 0..<30 where stepsAfter < 3 {
                    let before = disk.callCount > place ? nil : try store.everything()
                    do {
                        try store.change(&generator)
                    } catch let error as StoreError {
                        failures += 1
                        #expect(error.code == (code == ENOSPC ? .full : .io))
                        #expect(try store.everything() == before, "call \(place), step \(step)")
                    }
                    guard disk.callCount > place else { continue }
                    // As if the process ended here.
                    try expect(world.content(), store, "call \(place), step \(step)")
                    stepsAfter += 1
                }
                isReached = stepsAfter > 0
                #expect(!FileManager.default.fileExists(atPath: world.path + ".new"))
                let last = try store.everything()
                disk.work()
                try store.close()
                let again = try world.open()
                #expect(try again.everything() == last, "call \(place)")
                try again.close()
            }
            guard isReached else { break }
            place += 1
        }
        #expect(place > 60 && failures > 20, "\(place) calls, of which \(failures) made a commit fail")
    }

    /// A commit that was reported is there after a power failure, if the store is synchronous.
    @Test func `what was reported outlives a power failure`() throws {
        var rewritings = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            try JournalWorld.run { world in
                var generator = SeededGenerator(seed: seed)
                let disk = FaultyDisk(journal: world.path)
                let store = try world.open(rotationSize: 600, frameSize: 300, disk: disk.calls)
                try store.makeTables()
                // Without faults first; then each call fails now and then.
                let moods = (0..<400).map { _ in Int.random(in: 0..<12, using: &generator) == 0 }
                if seed > 5 { disk.fail(with: EIO) { moods[$1 % moods.count] } }
                for step in 0..<25 {
                    do {
                        try store.change(&generator)
                    } catch is StoreError {
                        continue
                    }
                    try expect(#require(disk.durable), store, "seed \(seed), step \(step)")
                }
                rewritings += disk.count(of: .rename)
                disk.work()
                try store.close()
            }
        }
        #expect(rewritings > 20)
    }

    /// As long as nothing can be cut off, nothing is written behind it.
    @Test func `what cannot be cut off stops the next commit`() throws {
        try JournalWorld.run { world in
            let disk = FaultyDisk(journal: world.path)
            let store = try world.open(disk: disk.calls)
            try store.execute("CREATE TABLE a (n)")
            disk.fail(with: EIO) { call, _ in call == .synchronize || call == .truncate }
            for number in 0..<3 {
                #expect(throws: StoreError.self) {
                    try store.execute("INSERT INTO a VALUES (?)", [.integer(Int64(number))])
                }
            }
            #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .io)
            disk.work()
            try store.execute("INSERT INTO a VALUES (7)")
            try store.close()
            let again = try world.open()
            #expect(try again.rows("SELECT n FROM a") == [[7]])
            try again.close()
        }
    }

    /// A power failure may leave the last frame and not the one before, unless that is on the disk already.
    @Test func `the last of many frames waits for the others`() throws {
        try JournalWorld.run { world in
            let disk = FaultyDisk(journal: world.path)
            let store = try world.open(frameSize: 100, disk: disk.calls)
            try store.execute("CREATE TABLE a (v)")
            for (count, waits) in [(1, 1), (50, 2)] {
                let before = disk.count(of: .synchronize)
                let rows = (0..<count).map { "('row \($0)')" }.joined(separator: ", ")
                try store.execute("INSERT INTO a VALUES \(rows)", [])
                #expect(disk.count(of: .synchronize) - before == waits)
            }
            disk.fail(with: EIO) { call, _ in call == .synchronize || call == .truncate }
            #expect(throws: StoreError.self) { try store.execute("INSERT INTO a SELECT v FROM a") }
            #expect(try MemoryStore(replaying: world.content()).value("SELECT count(*) FROM a") == 51)
            disk.work()
            try store.close()
        }
    }

    @Test func `a rewriting that fails leaves the journal as it is`() throws {
        for call in FaultyDisk.Call.allCases where call != .truncate {
            try JournalWorld.run { world in
                let disk = FaultyDisk(journal: world.path)
                let store = try world.open(rotationSize: 500, isSynchronous: false, disk: disk.calls)
                try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, n)")
                let isWrite = call == .write
                // Of the writes of a commit the first one is the commit's own.
                for number in 0..<40 {
                    disk.fail(with: ENOSPC) { $0 == call && (!isWrite || $1 > 0) }
                    try store.execute("INSERT OR REPLACE INTO a VALUES (1, ?)", [.integer(Int64(number))])
                }
                try expect(world.content(), store, "\(call)")
                disk.work()
                for number in 0..<60 {
                    try store.execute("INSERT OR REPLACE INTO a VALUES (1, ?)", [.integer(Int64(number))])
                }
                #expect(try world.content().count < 3000)
                try store.close()
            }
        }
    }

    @Test func `a disk that is full on opening is an error and no damage`() throws {
        try JournalWorld.run { world in
            let disk = FaultyDisk(journal: world.path)
            disk.fail(with: ENOSPC) { call, _ in call == .write }
            #expect(#expect(throws: StoreError.self) { _ = try world.open(disk: disk.calls) }?.code == .full)
            let store = try world.open()
            try store.execute("CREATE TABLE a (n)")
            try store.close()
        }
    }

    @Test func `a full disk is told from other failures`() {
        for code in [ENOSPC, EDQUOT, EFBIG] { #expect(JournalFile.failure("write", code).code == .full) }
        #expect(JournalFile.failure("write", EIO).code == .io)
    }

    /// A journal of these bytes makes the same state.
    private func expect(_ journal: Data, _ store: MemoryStore, _ comment: Comment) throws {
        #expect(try MemoryStore(replaying: journal).everything() == store.everything(), comment)
    }
}

extension MemoryStore {
    /// A store with what a journal tells, which keeps none.
    convenience init(replaying journal: Data) throws {
        self.init()
        var database = MemoryDatabase()
        try Array(journal).withUnsafeBytes { _ = try database.replay($0) }
        shared.withLock { $0.database = database }
    }
}
