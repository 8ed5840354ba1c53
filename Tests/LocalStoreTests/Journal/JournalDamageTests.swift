import Foundation
import PatchbayTestKit
import StoreTestSupport
import Testing

@testable import LocalStore

/// Journals that something else has changed.
@Suite struct JournalDamageTests {
    /// A journal of a few transactions, and what the store was after each.
    private struct Sample {
        var journal = Data()
        var states: [[String]] = [[]]

        init(seed: UInt64, rewriting: Bool = false) throws {
            var sample = (journal: Data(), states: states)
            try JournalWorld.run { world in
                var generator = SeededGenerator(seed: seed)
                let disk = FaultyDisk(journal: world.path)
                let store = try world.open(
                    rotationSize: rewriting ? 1200 : 1 << 30, frameSize: 150, isSynchronous: false, disk: disk.calls)
                try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, label TEXT UNIQUE, x)")
                sample.states.append(try store.everything())
                try store.execute("CREATE TABLE b (k TEXT PRIMARY KEY, n)")
                sample.states.append(try store.everything())
                for _ in 0..<15 {
                    let before = disk.count(of: .rename)
                    try store.change(&generator)
                    if disk.count(of: .rename) > before { sample.states = [] }
                    sample.states.append(try store.everything())
                }
                try store.close()
                sample.journal = try world.content()
            }
            (journal, states) = sample
        }

        /// Where the frame begins that the last transaction ends with.
        var lastFrame: Int {
            get throws {
                try Array(journal).withUnsafeBytes { bytes in
                    var frames = try JournalFrameReader(bytes)
                    var last = frames.offset
                    while case .frame = frames.next() {
                        if frames.offset < journal.count { last = frames.offset }
                    }
                    return last
                }
            }
        }
    }

    /// Opens what may be damaged.
    /// - Returns: the state; nil when it is refused as damaged.
    private func state(_ journal: Data, _ comment: Comment) throws -> [String]? {
        do {
            return try MemoryStore(replaying: journal).everything()
        } catch let error as StoreError {
            #expect(error.code == .corrupt, comment)
            return nil
        }
    }

    @Test(arguments: [false, true]) func `a changed bit anywhere is damage`(isRewritten: Bool) throws {
        let sample = try Sample(seed: 3, rewriting: isRewritten)
        var generator = SeededGenerator(seed: 4)
        let last = try sample.lastFrame
        #expect(last > 400 && last < sample.journal.count && sample.states.count > 1)
        for place in 0..<sample.journal.count {
            var journal = sample.journal
            journal[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let state = try state(journal, "byte \(place)")
            #expect(state == nil, "byte \(place)")
        }
    }

    // Damage of a sector with the end of one frame and the heads of the next ones leaves no later frame as a proof.
    @Test func `damage over the borders of the last frames is damage`() throws {
        let sample = try Sample(seed: 3)
        var generator = SeededGenerator(seed: 8)
        for start in sample.journal.count - 600..<sample.journal.count - 40 {
            var journal = sample.journal
            for place in start..<journal.count { journal[place] ^= .random(in: 1...255, using: &generator) }
            #expect(try state(journal, "from \(start)") == nil, "from \(start)")
        }
    }

    @Test func `sectors that were not written are dropped, and kept in another file`() throws {
        try JournalWorld.run { world in
            let store = try world.open(rotationSize: 1 << 30, frameSize: 1 << 20, isSynchronous: false)
            try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, label TEXT)")
            let before = try store.everything()
            let size = try world.content().count
            try store.execute("INSERT INTO a VALUES (1, ?)", [.text(String(repeating: "x", count: 5000))])
            try store.close()
            #expect(store.discardedFile == nil)
            var journal = try world.content()
            for place in 1024..<1536 { journal[place] = 0 }
            try journal.write(to: URL(filePath: world.path))
            let again = try world.open(rotationSize: 1 << 30, frameSize: 1 << 20, isSynchronous: false)
            #expect(try again.everything() == before)
            #expect(again.discardedFile == world.path + ".discarded")
            #expect(try Data(contentsOf: URL(filePath: world.path + ".discarded")) == journal.dropFirst(size))
            try again.close()
            #expect(try world.content() == journal.prefix(size))
        }
    }

    /// Bytes that are gone move what is behind them. As long as the last frame is there, that proves that something is
    /// missing. A cut into the last frame, or from an earlier one to the end, is what a crash leaves.
    @Test(arguments: [false, true]) func `bytes missing before the last frame are damage`(isRewritten: Bool) throws {
        let sample = try Sample(seed: 3, rewriting: isRewritten)
        var generator = SeededGenerator(seed: 12)
        let last = try sample.lastFrame
        for start in 0..<sample.journal.count {
            for length in [1, .random(in: 2...900, using: &generator)] {
                let range = Self.last(cut: start..<min(start + length, sample.journal.count), of: sample.journal)
                var journal = sample.journal
                journal.removeSubrange(range)
                let state = try state(Data(journal), "\(range)")
                if range.upperBound <= last {
                    #expect(state == nil, "\(range)")
                } else if range.lowerBound >= last {
                    // Without a part of its header, the frame's length is unknown.
                    let isHeader = range.lowerBound < last + JournalFrame.headerSize
                    #expect(state == sample.states[sample.states.count - 2] || isHeader && state == nil, "\(range)")
                } else if let state {
                    #expect(sample.states.contains(state), "\(range)")
                }
            }
        }
    }

    /// The last cut that leaves the same bytes.
    private static func last(cut: Range<Int>, of journal: Data) -> Range<Int> {
        var cut = cut
        while cut.upperBound < journal.count, journal[cut.lowerBound] == journal[cut.upperBound] {
            cut = cut.lowerBound + 1..<cut.upperBound + 1
        }
        return cut
    }

    /// Each frame that is gone as a whole, and each one that is there twice.
    @Test func `frames missing or repeated are damage`() throws {
        let sample = try Sample(seed: 5)
        let bounds = try Array(sample.journal).withUnsafeBytes { bytes in
            var frames = try JournalFrameReader(bytes)
            var bounds = [frames.offset]
            while case .frame = frames.next() { bounds.append(frames.offset) }
            return bounds
        }
        #expect(bounds.count > 20)
        for (first, second) in zip(bounds, bounds.dropFirst()) {
            var journal = sample.journal
            journal.removeSubrange(first..<second)
            if second < sample.journal.count { #expect(try state(Data(journal), "without \(first)") == nil) }
            journal = sample.journal
            journal.insert(contentsOf: journal[first..<second], at: second)
            #expect(try state(Data(journal), "twice \(first)") == nil)
        }
    }

    @Test func `any changed byte gives a committed state or an error`() throws {
        for seed in 10..<16 as Range<UInt64> {
            let sample = try Sample(seed: seed, rewriting: seed % 2 == 0)
            var generator = SeededGenerator(seed: seed)
            for round in 0..<200 {
                var journal = sample.journal
                for _ in 0...Int.random(in: 0..<3, using: &generator) { Self.damage(&journal, &generator) }
                guard let state = try state(journal, "seed \(seed), round \(round)") else { continue }
                #expect(sample.states.contains(state), "seed \(seed), round \(round)")
            }
        }
    }

    private static func damage(_ journal: inout Data, _ generator: inout SeededGenerator) {
        guard journal.count > 1 else { return }
        let start = Int.random(in: 0..<journal.count, using: &generator)
        let range = start..<min(journal.count, start + .random(in: 1...60, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1: journal[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: journal = journal.prefix(start)
        case 3: journal.replaceSubrange(range, with: Data(count: range.count))
        case 4: journal.removeSubrange(range)
        case 5: journal.insert(contentsOf: Data(journal[range]), at: start)
        default:
            // A length as large as can be, among others.
            journal.replaceSubrange(range, with: Data(repeating: 0xFF, count: range.count))
        }
        journal = Data(journal)
    }

    /// Records that make no sense, with checksums that do, as only a fault in a program would write them.
    @Test func `random records never trap`() throws {
        var opened = 0
        for seed in 20..<24 as Range<UInt64> {
            let sample = try Sample(seed: seed)
            var generator = SeededGenerator(seed: seed)
            for round in 0..<150 {
                let journal = try Self.forge(sample.journal, &generator)
                do {
                    let store = try MemoryStore(replaying: journal)
                    opened += 1
                    _ = try store.everything()
                    try? store.makeTables()
                    for _ in 0..<3 {
                        do {
                            try store.change(&generator)
                        } catch let error as StoreError {
                            // The tables may be other ones now.
                            let codes: [StoreError.Code] = [.noSuchTable, .noSuchColumn, .invalidArgument, .full]
                            #expect(codes.contains(error.code), "seed \(seed), round \(round): \(error)")
                        }
                    }
                    let names = try store.tableNames().map { SQLIdentifier($0).quoted }
                    try? store.transaction {
                        for name in names { try store.execute("DELETE FROM \(name)", []) }
                        throw Interruption()
                    }
                    for name in names { try store.execute("DELETE FROM \(name)", []) }
                } catch let error as StoreError {
                    #expect([.corrupt, .constraint, .tooLarge].contains(error.code), "\(error)")
                }
            }
        }
        #expect(opened > 50)
    }

    /// Changes bytes in the records of some frames and seals these again.
    private static func forge(_ journal: Data, _ generator: inout SeededGenerator) throws -> Data {
        let bytes = Array(journal)
        var frames: [(offset: Int, header: JournalFrame.Header, frame: [UInt8])] = []
        let head = try bytes.withUnsafeBytes { try JournalHeader($0) }
        bytes.withUnsafeBytes { bytes in
            var offset = JournalHeader.size
            while let header = JournalFrame.Header(bytes, at: offset, salt: head.salt) {
                let end = offset + JournalFrame.headerSize + header.length
                frames.append((offset, header, Array(bytes[offset..<end])))
                offset = end
            }
        }
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
            let index = Int.random(in: 0..<frames.count, using: &generator)
            guard frames[index].header.length > 0 else { continue }
            let place = Int.random(in: JournalFrame.headerSize..<frames[index].frame.count, using: &generator)
            frames[index].frame[place] =
                Bool.random(using: &generator)
                ? .random(in: 0...255, using: &generator) : .random(in: 0...5, using: &generator)
        }
        var forged = Data(head.bytes)
        for (offset, header, frame) in frames {
            var frame = frame
            JournalFrame.seal(
                &frame, transaction: header.transaction, isLast: header.isLast, at: offset, salt: head.salt)
            forged += frame
        }
        return forged
    }

    @Test func `a damaged journal is left as it is`() throws {
        let sample = try Sample(seed: 3)
        try JournalWorld.run { world in
            var journal = sample.journal
            journal[40] ^= 4
            try world.put(journal)
            try Data("half".utf8).write(to: URL(filePath: world.path + ".new"))
            let error = #expect(throws: StoreError.self) { _ = try world.open() }
            #expect(error?.code == .corrupt)
            #expect(try world.content() == journal)
            #expect(FileManager.default.fileExists(atPath: world.path + ".new"))
        }
    }

    /// A blob that holds a journal is not taken for frames behind a torn one.
    @Test func `a journal within a journal is a blob`() throws {
        let sample = try Sample(seed: 3)
        try JournalWorld.run { world in
            let store = try world.open(isSynchronous: false)
            try store.execute("CREATE TABLE a (v BLOB)")
            let size = try world.content().count
            try store.execute("INSERT INTO a VALUES (?)", [.blob(sample.journal)])
            try store.close()
            let whole = try world.content()
            for length in stride(from: size + 1, to: whole.count, by: 97) {
                #expect(try MemoryStore(replaying: Data(whole.prefix(length))).rows("SELECT * FROM a").isEmpty)
            }
        }
    }
}
