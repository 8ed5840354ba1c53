import PatchbayTestKit

@testable import DeltaSync
@testable import StoreCore

/// One random run. Its errors are what the app would see wrongly.
final class EditRun {
    /// What a run does.
    struct Plan {
        let kind: Kind
        let seed: UInt64
        /// The random numbers of each step; empty for 50 steps of the seed. So steps can be left out: the others choose
        /// what they have chosen.
        var steps: [SeededGenerator] = []

        init(_ kind: Kind, seed: UInt64) { (self.kind, self.seed) = (kind, seed) }
    }
    struct Mismatch: Error, CustomStringConvertible { let description: String }

    enum Kind: CaseIterable, Sendable {
        /// Only this app changes rows.
        case alone
        /// Other devices change rows too, and edits are discarded.
        case others
        /// As `others`, and two users share the store.
        case users
        /// As `alone`, and each request is for a version of its row: a lost response alone leads to a refusal.
        case versions
        /// As `others`, and the server refuses requests for another version; the conflicts are resolved.
        case conflicts
    }
    struct Response {
        let text: String
        /// The stored version at the request.
        let version: String?
        /// The number of sends at the request; nil if unknown.
        let sentCount: Int64?
    }

    /// The steps are added when they are run.
    private(set) var plan: Plan
    /// What was done.
    private(set) var log: [String] = []
    var fixture: DeltaFixture
    var random: SeededGenerator
    private let users: [PendingEdits]
    private let targets: [DeltaTarget]
    /// The models of the users.
    var models: [EditModel]
    /// The user that is signed in.
    var user = 0
    /// The user whose rows the table has; nil before the first load.
    var owner: Int?
    /// The responses in flight.
    var responses: [Response] = []
    private var lastID = 0

    var kind: Kind { plan.kind }
    var hasOthers: Bool { [.others, .users, .conflicts].contains(kind) }
    var hasVersions: Bool { [.versions, .conflicts].contains(kind) }
    var model: EditModel { models[user] }
    var edits: PendingEdits { users[user] }

    init(_ fixture: DeltaFixture, _ plan: Plan) throws {
        (self.fixture, self.plan) = (fixture, plan)
        random = SeededGenerator(seed: plan.seed)
        let names = plan.kind == .users ? ["7", "8"] : ["7"]
        users = try names.map { try PendingEdits(in: fixture.store, user: $0) }
        let columns = DeltaFixture.columns + [.init(EditModel.version, "INTEGER")]
        targets = try names.map {
            try DeltaFixture.target(
                columns, binding: DeltaBinding(server: "https://example.com", resource: "sockets", user: $0))
        }
        models = names.map { _ in EditModel() }
        self.fixture.target = targets[0]
        if plan.seed % 3 > 0 {
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
        if plan.steps.isEmpty {
            for _ in 0..<50 {
                plan.steps.append(random)
                try step()
            }
        } else {
            for step in plan.steps {
                random = step
                try self.step()
            }
        }
        for user in users.indices {
            try signIn(user)
            try finish()
        }
        for table in [EditTables.edits, EditTables.rows] {
            let rows = try fixture.store.rows("SELECT * FROM \(table.quoted)", [])
            try expect(rows.isEmpty, "\(table) has \(rows)")
        }
    }

    private func step() throws {
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

    func note(_ line: String) { log.append(line) }

    func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        guard isTrue else { throw Mismatch(description: what()) }
    }

    /// Sends and settles all, and compares the rows with the server's.
    private func finish() throws {
        while !model.queue.isEmpty || !model.inFlight.isEmpty {
            try send(isEnd: true)
            try settle()
        }
        let isCounted = plan.seed.isMultiple(of: 2)
        for _ in 0..<2 {
            // Without a count, another version tells that the next delta was requested later.
            if !isCounted { models[user].repeatVersion() }
            responses = []
            try request(isFullLoad: false, isCounted: isCounted)
            try receive()
        }
        let visible = try visible()
        try expect(visible == model.now, "the app has \(visible), the server \(model.now)")
    }

    // MARK: Edits

    private func change(of key: Int64? = nil) -> EditModel.Change {
        lastID += 1
        let key = key ?? Int64.random(in: 1...4, using: &random)
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
        // The response has the version of the first row only.
        var change = change(of: kind == .versions ? last?.changes.first?.key : nil)
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
            try expect(owner != user, "\(error)")
            return
        }
        try expect(owner == nil || owner == user, "an edit of rows of another user was added")
        note("edit \(id): \(change)")
        models[user].edit(change)
        if last != nil {
            models[user].queue[model.queue.count - 1].changes.append(change)
        } else {
            let isFirst = !model.unsettled.contains { $0.keys.contains(change.key) }
            models[user].queue.append(
                EditModel.Batch(id: id, changes: [change], version: isFirst ? before?[EditModel.version] : nil))
        }
    }

    private func changeElsewhere() {
        let change = change()
        note("elsewhere: \(change)")
        models[user].perform([change])
    }

    /// Sends the oldest edit; with versions after the responses to earlier ones of the same rows.
    private func send(isEnd: Bool = false) throws {
        guard let batch = model.queue.first else { return }
        var row: ColumnValues?
        if hasVersions {
            guard !model.inFlight.contains(where: { !$0.keys.isDisjoint(with: batch.keys) }) else { return }
            let pending = try edits.edits(of: batch.id)
            guard let first = pending.first else { throw Mismatch(description: "edit \(batch.id) is not there") }
            // A delta that has come since does not change what the app has decided on.
            if let version = batch.version {
                try expect(first.rowVersion == version, "edit \(batch.id) was made on \(version): \(first)")
            }
            models[user].queue[0].isTouched = true
            if model.refuses(first.rowVersion, of: batch.changes[0].key) {
                try expect(hasOthers || batch.isTouched, "edit \(batch.id) is refused: \(first), server \(model.now)")
                return try refuse(batch, pending, isEnd: isEnd)
            }
            if !batch.isPerformed, let server = model.now[batch.changes[0].key], first.rowVersion ?? .null != .null {
                // A request with the whole row overwrites nothing that its edit has not changed.
                let overwritten = first.row.filter { EditModel.columns.contains($0.key) && server[$0.key] != $0.value }
                try expect(
                    Set(overwritten.keys).isSubset(of: first.changes.keys), "\(first) overwrites \(overwritten)")
            }
            // Without a version the server does not know what a row was made on, and takes it whole.
            if first.rowVersion ?? .null == .null, !first.isDeletion {
                row = first.row.filter { EditModel.columns.contains($0.key) }
            }
        }
        // A server does not perform a key that it knows once more, and sends the same response.
        if !batch.isPerformed { perform(row) }
        note("\(batch.id) sent")
        if hasVersions, !isEnd, Int.random(in: 0..<4, using: &random) == 0 { return note("its response is lost") }
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
            note("\(batch.id) refused, and is at the server: \(String(describing: server))")
            models[user].queue.removeFirst()
            try edits.received(server, refusing: edit)
            return try edits.sent(batch.id, rowVersion: edit.leads(to: server) ? server?[EditModel.version] : nil)
        }
        try expect(hasOthers, "edit \(batch.id) is not at the server: \(edit), server \(String(describing: server))")
        let decision = isEnd ? 0 : Int.random(in: 0..<4, using: &random)
        note("\(batch.id) refused, decision \(decision): \(edit), server \(String(describing: server))")
        switch decision {
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
        note("\(batch.id) settled, version \(String(describing: batch.sentVersion))")
        try edits.sent(batch.id, rowVersion: batch.sentVersion)
    }

    private func discard() throws {
        guard let index = model.queue.indices.randomElement(using: &random) else { return }
        let batch = models[user].queue.remove(at: index)
        note("\(batch.id) discarded")
        try edits.discard(batch.id)
    }

    private func changeUser() throws { try signIn(Int.random(in: users.indices, using: &random)) }

    private func signIn(_ user: Int) throws {
        guard user != self.user else { return }
        note("user \(user)")
        self.user = user
        fixture.target = targets[user]
        responses = []
    }
}
