import Foundation
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Random edits, deltas, full loads, sends whose responses are late, and interruptions, against a model of the server.
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
    /// The edits that were not sent.
    private var queue: [Change] = []
    /// The edits that the server has, and whose response has not come.
    private var inFlight: [Change] = []
    private var unsettled: [Change] { inFlight + queue }
    private struct Response {
        let text: String
        /// The stored version at the request.
        let version: String?
        /// The number of sends at the request; nil if unknown.
        let sentCount: Int64?
    }
    /// The responses in flight.
    private var responses: [Response] = []
    private var lastID = 0

    init(_ fixture: DeltaFixture, seed: UInt64, hasOthers: Bool) throws {
        (self.fixture, self.seed, self.hasOthers) = (fixture, seed, hasOthers)
        random = SeededGenerator(seed: seed)
        edits = try PendingEdits(in: fixture.store)
        if seed % 3 > 0 {
            try fixture.apply(nil, "0")
        } else {
            // The table of a first load that has not ended.
            try fixture.applier.withExclusiveTables(fixture.target) { tables in
                _ = try? fixture.applier.prepare(tables)
            }
        }
    }

    func run() throws {
        for _ in 0..<50 {
            switch Int.random(in: 0..<14, using: &random) {
            case 0...3: try edit()
            case 4...5: send()
            case 12...13: try settle()
            case 6...7: try request()
            case 8...9: try receive()
            case 10: try receiveHalf()
            default: if hasOthers { Bool.random(using: &random) ? try discard() : changeElsewhere() }
            }
            try check()
        }
        while !queue.isEmpty { send() }
        while !inFlight.isEmpty { try settle() }
        let isCounted = seed.isMultiple(of: 2)
        for _ in 0..<2 {
            // Without a count, another version tells that the next delta was requested later.
            if !isCounted { history.append(history[history.count - 1]) }
            responses = []
            try request(isFullLoad: false, isCounted: isCounted)
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

    private func send() {
        guard !queue.isEmpty else { return }
        let change = queue.removeFirst()
        var table = history[history.count - 1]
        change.apply(to: &table)
        history.append(table)
        inFlight.append(change)
    }

    /// The response to the oldest send comes.
    private func settle() throws {
        if !inFlight.isEmpty { try edits.sent(inFlight.removeFirst().id) }
    }

    private func discard() throws {
        guard let index = queue.indices.randomElement(using: &random) else { return }
        try edits.discard(queue.remove(at: index).id)
    }

    /// Makes the response to a request of now, which may be received later.
    private func request(isFullLoad: Bool? = nil, isCounted: Bool? = nil) throws {
        let stored = try fixture.version()
        let isFullLoad = stored == nil || isFullLoad ?? (Int.random(in: 0..<3, using: &random) == 0)
        let version = isFullLoad ? nil : stored
        let isCounted = isCounted ?? Bool.random(using: &random)
        let now = history[history.count - 1]
        let base = version.flatMap { Int($0) }.map { history[$0] } ?? [:]
        var operations: [String] = []
        for (key, row) in now where base[key] != row {
            operations.append("+{\"id\":\(key),\"label\":\(json(row["label"])),\"gain\":\(json(row["gain"]))}")
        }
        for key in base.keys where now[key] == nil { operations.append("-[\(key)]") }
        let text = DeltaFixture.text(
            version, "\(history.count - 1)", operations.shuffled(using: &random))
        let count = isCounted ? try EditTables(store: fixture.store).sentCount : nil
        responses.append(Response(text: text, version: stored, sentCount: count))
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
            _ = try apply(&source, response)
        } catch {
            let isRefused = error.code == DeltaError.Code.gap || error.code == DeltaError.Code.busy
            if !isRefused { throw error }
        }
    }

    private func apply(_ source: inout some DeltaSource, _ response: Response) throws(DeltaError) -> DeltaOutcome {
        try fixture.applier.withExclusiveTables(fixture.target) { tables throws(DeltaError) in
            var tables = tables
            tables.sentCount = response.sentCount
            return try fixture.applier.apply(&source, tables, StoredState(version: response.version)) { false }
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
        let outcome: DeltaOutcome? = try? apply(&source, response)
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
        for change in unsettled {
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
        #expect(try Set(edits.waiting().map(\.id)) == Set(unsettled.map(\.id)), "seed \(seed)")
    }
}
