import Foundation
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Random edits, deltas, full loads, sends whose responses are late or lost, conflicts, and interruptions, against a
/// model of the server.
///
/// `PATCHBAY_EDIT_RUNS` sets the number of runs; the default is 60 for each kind.
@Suite(.needsSlot) struct PendingEditsModelTests {
    private static let runs = ProcessInfo.processInfo.environment["PATCHBAY_EDIT_RUNS"].flatMap(Int.init) ?? 60

    @Test(arguments: [StoreSubject.memory, .sqliteInMemory], EditRun.Kind.allCases)
    func `an unsent edit is always seen, and at the end the app has what the server has`(
        kind: StoreSubject, run: EditRun.Kind
    ) throws {
        for seed in 0..<Self.runs {
            try DeltaFixture.run(kind) { fixture in try EditRun(fixture, seed: UInt64(seed), run).run() }
        }
    }
}

/// One random run.
final class EditRun {
    enum Kind: CaseIterable, Sendable {
        /// Only this app changes rows.
        case alone
        /// Other devices change rows too, and edits are discarded.
        case others
        /// As `others`, and two users share the store.
        case users
        /// As `others`, and the server refuses requests for another version; the conflicts are resolved.
        case conflicts
    }
    private struct Response {
        let text: String
        /// The stored version at the request.
        let version: String?
        /// The number of sends at the request; nil if unknown.
        let sentCount: Int64?
    }

    private var fixture: DeltaFixture
    private let kind: Kind
    private let seed: UInt64
    private var random: SeededGenerator
    private let users: [PendingEdits]
    private let targets: [DeltaTarget]
    /// The models of the users.
    private var models: [EditModel]
    /// The user that is signed in.
    private var user = 0
    /// The user whose rows the table has; nil before the first load.
    private var owner: Int?
    /// The responses in flight.
    private var responses: [Response] = []
    private var lastID = 0

    private var hasOthers: Bool { kind != .alone }
    private var hasVersions: Bool { kind == .conflicts }
    private var model: EditModel { models[user] }
    private var edits: PendingEdits { users[user] }
    private var note: Comment { "seed \(seed), \(kind)" }

    init(_ fixture: DeltaFixture, seed: UInt64, _ kind: Kind) throws {
        (self.fixture, self.seed, self.kind) = (fixture, seed, kind)
        random = SeededGenerator(seed: seed)
        let names = kind == .users ? ["7", "8"] : ["7"]
        users = try names.map { try PendingEdits(in: fixture.store, user: $0) }
        let columns = DeltaFixture.columns + [.init(EditModel.version, "INTEGER")]
        targets = try names.map {
            try DeltaFixture.target(
                columns, binding: DeltaBinding(server: "https://example.com", resource: "sockets", user: $0))
        }
        models = names.map { _ in EditModel() }
        self.fixture.target = targets[0]
        if seed % 3 > 0 {
            try self.fixture.apply(nil, "0")
            owner = 0
        } else {
            // The table of a first load that has not ended.
            let fixture = self.fixture
            try fixture.applier.withExclusiveTables(fixture.target) { tables in
                _ = try? fixture.applier.prepare(tables)
            }
        }
    }

    func run() throws {
        for _ in 0..<50 {
            switch Int.random(in: 0..<15, using: &random) {
            case 0...3: try edit()
            case 4...5: try send()
            case 12...13: try settle()
            case 6...7: try request()
            case 8...9: try receive()
            case 10: try receiveHalf()
            case 14: if kind == .users { try changeUser() }
            default: if hasOthers { Bool.random(using: &random) ? try discard() : changeElsewhere() }
            }
            try check()
        }
        for user in users.indices {
            try signIn(user)
            try finish()
        }
        #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[0]], note)
        #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]], note)
    }

    /// Sends and settles all, and compares the rows with the server's.
    private func finish() throws {
        while !model.queue.isEmpty || !model.inFlight.isEmpty {
            try send(isEnd: true)
            try settle()
        }
        let isCounted = seed.isMultiple(of: 2)
        for _ in 0..<2 {
            // Without a count, another version tells that the next delta was requested later.
            if !isCounted { models[user].repeatVersion() }
            responses = []
            try request(isFullLoad: false, isCounted: isCounted)
            try receive()
        }
        #expect(try visible() == model.now, note)
    }

    // MARK: Edits

    private func change() -> EditModel.Change {
        lastID += 1
        let key = Int64.random(in: 1...4, using: &random)
        var cells: ColumnValues? = [:]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: cells = nil
        case 1: cells?["gain"] = .real(Double(lastID))
        case 2: cells?["label"] = .text("\(lastID)")
        default: cells = ["label": .text("\(lastID)"), "gain": .real(Double(lastID))]
        }
        return EditModel.Change(key: key, cells: cells)
    }

    private func edit() throws {
        // The last request that waits may get a further change, of the same row or of another one.
        let last =
            Int.random(in: 0..<3, using: &random) == 0 ? model.queue.last.flatMap { $0.isTouched ? nil : $0 } : nil
        var change = change()
        let before = try visible()[change.key]
        change.isInsertion = before == nil
        let id = last?.id ?? "\(lastID)"
        let column = hasVersions ? EditModel.version : nil
        let edit =
            change.cells.map {
                RowEdit(
                    upserting: $0.merging(["id": .integer(change.key)]) { $1 }, into: "socket", versionColumn: column)
            } ?? RowEdit(deleting: ["id": .integer(change.key)], from: "socket", versionColumn: column)
        do {
            try edits.add(edit, id: id)
        } catch let error as StoreError where error.code == .invalidArgument {
            #expect(owner != user, note)
            return
        }
        #expect(owner == nil || owner == user, note)
        models[user].edit(change)
        if last != nil {
            models[user].queue[model.queue.count - 1].changes.append(change)
        } else {
            let isFirst = !model.unsettled.contains { $0.keys.contains(change.key) }
            models[user].queue.append(
                EditModel.Batch(id: id, changes: [change], version: isFirst ? before?[EditModel.version] : nil))
        }
    }

    private func changeElsewhere() { models[user].perform([change()]) }

    /// Sends the oldest edit; with versions after the responses to earlier ones of the same rows.
    private func send(isEnd: Bool = false) throws {
        guard let batch = model.queue.first else { return }
        var row: ColumnValues?
        if hasVersions {
            guard !model.inFlight.contains(where: { !$0.keys.isDisjoint(with: batch.keys) }) else { return }
            let pending = try edits.edits(of: batch.id)
            let first = try #require(pending.first, note)
            // A delta that has come since does not change what the app has decided on.
            if let version = batch.version { #expect(first.rowVersion == version, note) }
            models[user].queue[0].isTouched = true
            if model.refuses(first.rowVersion, of: batch.changes[0].key) {
                return try refuse(batch, pending, isEnd: isEnd)
            }
            if !batch.isPerformed, let server = model.now[batch.changes[0].key], first.rowVersion ?? .null != .null {
                // A request with the whole row overwrites nothing that its edit has not changed.
                let overwritten = first.row.filter { EditModel.columns.contains($0.key) && server[$0.key] != $0.value }
                #expect(Set(overwritten.keys).isSubset(of: first.changes.keys), note)
            }
            // Without a version the server does not know what a row was made on, and takes it whole.
            if first.rowVersion ?? .null == .null, !first.isDeletion {
                row = first.row.filter { EditModel.columns.contains($0.key) }
            }
        }
        // A server does not perform a key that it knows once more, and sends the same response.
        if !batch.isPerformed { perform(row) }
        if hasVersions, !isEnd, Int.random(in: 0..<4, using: &random) == 0 { return }
        models[user].inFlight.append(models[user].queue.removeFirst())
    }

    /// - Parameter row: the cells of the first row, if the request has all of them.
    private func perform(_ row: ColumnValues?) {
        let changes = model.queue[0].changes
        let whole = row.map { EditModel.Change(key: changes[0].key, cells: $0) }
        models[user].perform(changes + (whole.map { [$0] } ?? []))
        models[user].queue[0].isPerformed = true
        models[user].queue[0].sentVersion = hasVersions ? model.now[changes[0].key]?[EditModel.version] : nil
    }

    /// The server has another version of the first row: the request was performed before, or there is a conflict.
    private func refuse(_ batch: EditModel.Batch, _ pending: [PendingEdit], isEnd: Bool) throws {
        let (edit, server) = (pending[0], model.now[batch.changes[0].key])
        if pending.count == 1, edit.seeing(server).isAtServer {
            models[user].queue.removeFirst()
            try edits.received(server, refusing: edit)
            return try edits.sent(batch.id, rowVersion: edit.leads(to: server) ? server?[EditModel.version] : nil)
        }
        switch isEnd ? 0 : Int.random(in: 0..<4, using: &random) {
        case 0:
            let row = edit.isDeletion ? nil : server == nil ? edit.row : edit.changes
            try edits.rebase(edit, onto: server)
            replaceFirstRow(server, row)
        case 1:
            lastID += 1
            let merged: ColumnValues = ["label": .text("merged \(lastID)")]
            try edits.rebase(edit, onto: server, amending: merged)
            replaceFirstRow(server, (server ?? edit.row).merging(merged) { $1 })
        case 2:
            models[user].queue.removeFirst()
            try edits.received(server, refusing: edit)
            try edits.discard(batch.id)
        default: try edits.received(server, refusing: edit)
        }
    }

    /// The first row of the oldest request is sent like this, for the server's version of now; its other rows stay.
    private func replaceFirstRow(_ server: ColumnValues?, _ row: ColumnValues?) {
        let key = model.queue[0].changes[0].key
        let others = model.queue[0].changes.filter { $0.key != key }
        // Cells that the server has are not changed: another version of them is refused.
        let cells = row?.filter { server == nil || server?[$0.key] != $0.value }
        let change = EditModel.Change(
            key: key, cells: cells?.filter { !["id", EditModel.version].contains($0.key) }, isInsertion: server == nil)
        models[user].queue[0].changes = [change] + others
        models[user].queue[0].version = server?[EditModel.version]
        models[user].queue[0].isPerformed = false
    }

    /// The response to the oldest send comes, also after the user has changed.
    private func settle() throws {
        let settled = kind == .users ? Int.random(in: users.indices, using: &random) : user
        guard !models[settled].inFlight.isEmpty else { return }
        let batch = models[settled].inFlight.removeFirst()
        try edits.sent(batch.id, rowVersion: batch.sentVersion)
    }

    private func discard() throws {
        guard let index = model.queue.indices.randomElement(using: &random) else { return }
        try edits.discard(models[user].queue.remove(at: index).id)
    }

    private func changeUser() throws { try signIn(Int.random(in: users.indices, using: &random)) }

    private func signIn(_ user: Int) throws {
        guard user != self.user else { return }
        self.user = user
        fixture.target = targets[user]
        responses = []
    }

    // MARK: Deltas

    /// Makes the response to a request of now, which may be received later.
    private func request(isFullLoad: Bool? = nil, isCounted: Bool? = nil) throws {
        let stored = try fixture.version()
        let isFullLoad = stored == nil || isFullLoad ?? (Int.random(in: 0..<3, using: &random) == 0)
        let version = isFullLoad ? nil : stored
        let isCounted = isCounted ?? Bool.random(using: &random)
        let base = version.flatMap { Int($0) }.map { model.history[$0] } ?? [:]
        var operations: [String] = []
        for (key, row) in model.now where base[key] != row {
            let cells = ["label", "gain", EditModel.version.text].map { "\"\($0)\":\(json(row[SQLIdentifier($0)]))" }
            operations.append("+{\"id\":\(key),\(cells.joined(separator: ","))}")
        }
        for key in base.keys where model.now[key] == nil { operations.append("-[\(key)]") }
        let text = DeltaFixture.text(
            version, "\(model.history.count - 1)", operations.shuffled(using: &random))
        let count = isCounted ? try EditTables(store: fixture.store).sentCount : nil
        responses.append(Response(text: text, version: stored, sentCount: count))
    }

    private func json(_ value: StoreValue?) -> String {
        switch value {
        case .text(let text): "\"\(text)\""
        case .real(let number): "\(number)"
        case .integer(let number): "\(number)"
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
        let outcome = try fixture.applier.withExclusiveTables(fixture.target) { tables throws(DeltaError) in
            var tables = tables
            tables.sentCount = response.sentCount
            return try fixture.applier.apply(&source, tables, StoredState(version: response.version)) { false }
        }
        owner = user
        return outcome
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
        #expect(try fixture.state() == before, note)
    }

    // MARK: Checks

    private func visible() throws -> EditModel.Table {
        var table: EditModel.Table = [:]
        for row in try fixture.rows("id, label, gain, version") {
            guard case .integer(let key) = row[0] else { continue }
            table[key] = ["id": row[0], "label": row[1], "gain": row[2], EditModel.version: row[3]]
        }
        return table
    }

    private func check() throws {
        let visible = try visible()
        #expect(
            try Set(edits.waiting().map(\.id)) == (owner == nil || owner == user ? Set(model.unsettled.map(\.id)) : []),
            note)
        // A version that the row has never had at the server would be refused, or be one of another row.
        for (key, row) in visible where row[EditModel.version] != .null {
            let history = models[owner ?? user].history
            if row[EditModel.version] == EditedRow.unknownVersion { continue }
            #expect(history.contains { $0[key]?[EditModel.version] == row[EditModel.version] }, note)
        }
        guard hasOthers else {
            #expect(visible.mapValues { $0.filter { $0.key != EditModel.version } } == model.mine, note)
            return
        }
        // The rows of another user have none of these edits. Before the first load a table has those of all.
        if owner == nil, kind == .users { return }
        for (key, expected) in models[owner ?? user].expected {
            guard let expected else {
                #expect(visible[key] == nil, note)
                continue
            }
            #expect(expected.allSatisfy { visible[key]?[$0.key] == $0.value }, note)
        }
    }
}
