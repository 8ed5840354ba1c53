import Foundation
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Random edits, deltas, full loads, sends and interruptions, against a model of the server.
@Suite(.needsSlot) struct PendingEditsModelTests {
    @Test(arguments: [StoreSubject.memory, .sqliteInMemory], [false, true])
    func `an unsent edit is always seen, and at the end the app has what the server has`(
        kind: StoreSubject, hasOthers: Bool
    ) throws {
        for seed in 0..<60 {
            try DeltaFixture.run(kind) { fixture in
                try EditRun(fixture, seed: UInt64(seed), hasOthers: hasOthers).run()
            }
        }
    }
}

/// One random run.
private final class EditRun {
    private typealias Table = [Int64: ColumnValues]
    private struct Change {
        let id: String
        let key: Int64
        /// The changed cells; nil for a deletion.
        let cells: ColumnValues?

        func apply(to table: inout Table) {
            guard let cells else { return table[key] = nil }
            table[key] = (table[key] ?? ["id": .integer(key), "label": nil, "gain": nil]).merging(cells) { $1 }
        }
    }

    private let fixture: DeltaFixture
    private let edits: PendingEdits
    private let seed: UInt64
    /// True if other users change rows too, and edits are discarded.
    private let hasOthers: Bool
    private var random: SeededGenerator
    /// The server's states; the last one is that of now.
    private var history: [Table] = [[:]]
    /// What the app sees if only this app changes anything.
    private var mine: Table = [:]
    private var queue: [Change] = []
    /// The responses in flight, with the stored version at their request.
    private var responses: [(text: String, version: String)] = []
    private var lastID = 0

    init(_ fixture: DeltaFixture, seed: UInt64, hasOthers: Bool) throws {
        (self.fixture, self.seed, self.hasOthers) = (fixture, seed, hasOthers)
        random = SeededGenerator(seed: seed)
        edits = try PendingEdits(in: fixture.store)
        try fixture.apply(nil, "0")
    }

    func run() throws {
        for _ in 0..<50 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3: try edit()
            case 4...5: try send()
            case 6...7: try request()
            case 8...9: try receive()
            case 10: try receiveHalf()
            default: if hasOthers { Bool.random(using: &random) ? try discard() : changeElsewhere() }
            }
            try check()
        }
        while !queue.isEmpty { try send() }
        for _ in 0..<2 {
            // Another version, so that the next delta was certainly requested later.
            history.append(history[history.count - 1])
            responses = []
            try request()
            try receive()
        }
        #expect(try visible() == history[history.count - 1], "seed \(seed)")
        #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[0]], "seed \(seed)")
        #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]], "seed \(seed)")
    }

    private func change() -> Change {
        lastID += 1
        let key = Int64.random(in: 1...4, using: &random)
        var cells: ColumnValues? = [:]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: cells = nil
        case 1: cells?["gain"] = .real(Double(lastID))
        case 2: cells?["label"] = .text("\(lastID)")
        default: cells = ["label": .text("\(lastID)"), "gain": .real(Double(lastID))]
        }
        return Change(id: "\(lastID)", key: key, cells: cells)
    }

    private func edit() throws {
        let change = change()
        change.apply(to: &mine)
        queue.append(change)
        let edit =
            change.cells.map { RowEdit(upserting: $0.merging(["id": .integer(change.key)]) { $1 }, into: "socket") }
            ?? RowEdit(deleting: ["id": .integer(change.key)], from: "socket")
        try edits.add(edit, id: change.id)
    }

    private func changeElsewhere() {
        var table = history[history.count - 1]
        change().apply(to: &table)
        history.append(table)
    }

    private func send() throws {
        guard !queue.isEmpty else { return }
        let change = queue.removeFirst()
        var table = history[history.count - 1]
        change.apply(to: &table)
        history.append(table)
        try edits.sent(change.id)
    }

    private func discard() throws {
        guard let index = queue.indices.randomElement(using: &random) else { return }
        try edits.discard(queue.remove(at: index).id)
    }

    /// Makes the response to a request of now, which may be received later.
    private func request() throws {
        let version = try fixture.version() ?? ""
        let isFullLoad = Int.random(in: 0..<3, using: &random) == 0
        let now = history[history.count - 1]
        let base = isFullLoad ? [:] : history[Int(version) ?? 0]
        var operations: [String] = []
        for (key, row) in now where base[key] != row {
            operations.append("+{\"id\":\(key),\"label\":\(json(row["label"])),\"gain\":\(json(row["gain"]))}")
        }
        for key in base.keys where now[key] == nil { operations.append("-[\(key)]") }
        let text = DeltaFixture.text(
            isFullLoad ? nil : version, "\(history.count - 1)", operations.shuffled(using: &random))
        responses.append((text, version))
    }

    private func json(_ value: StoreValue?) -> String {
        switch value {
        case .text(let text): "\"\(text)\""
        case .real(let number): "\(number)"
        default: "null"
        }
    }

    /// Applies the oldest response; one that was requested from another version is refused.
    private func receive() throws {
        guard !responses.isEmpty else { return }
        let response = responses.removeFirst()
        var source = DeltaFixture.source(Data(response.text.utf8), chunkSize: 100)
        do throws(DeltaError) {
            _ = try fixture.applier.apply(&source, to: fixture.target, requestedAt: response.version)
        } catch {
            let isRefused = error.code == DeltaError.Code.gap || error.code == DeltaError.Code.busy
            if !isRefused { throw error }
        }
    }

    /// A process that is killed while it applies a response: nothing of it stays.
    private func receiveHalf() throws {
        guard let response = responses.first else { return }
        let before = try fixture.state()
        var source = InterruptedSource(DeltaFixture.source(Data(response.text.utf8), chunkSize: 10)) { batch in
            if batch == 1 { throw CancellationError() }
        }
        // Without a second batch it is applied, or refused as one from another version.
        let outcome: DeltaOutcome? = try? fixture.applier.apply(
            &source, to: fixture.target, requestedAt: response.version)
        if outcome != nil {
            responses.removeFirst()
            return
        }
        #expect(try fixture.state() == before, "seed \(seed)")
    }

    private func visible() throws -> Table {
        var table: Table = [:]
        for row in try fixture.rows("id, label, gain") {
            guard case .integer(let key) = row[0] else { continue }
            table[key] = ["id": row[0], "label": row[1], "gain": row[2]]
        }
        return table
    }

    private func check() throws {
        let visible = try visible()
        guard hasOthers else {
            #expect(visible == mine, "seed \(seed)")
            return
        }
        // The last unsent edit of each cell.
        var cells: [Int64: ColumnValues?] = [:]
        for change in queue {
            let earlier = cells[change.key] ?? [:]
            cells[change.key] = change.cells.map { (earlier ?? [:]).merging($0) { $1 } }
        }
        for (key, expected) in cells {
            guard let expected else {
                #expect(visible[key] == nil, "seed \(seed)")
                continue
            }
            #expect(expected.allSatisfy { visible[key]?[$0.key] == $0.value }, "seed \(seed)")
        }
        #expect(try Set(edits.waiting().map(\.id)) == Set(queue.map(\.id)), "seed \(seed)")
    }
}
