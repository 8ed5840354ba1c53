import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// Random runs of edits with versions, which a server refuses with 412 and 409 and other devices change too.
///
/// `PATCHBAY_OUTBOX_RUNS` sets the number of runs; the default is 40.
@Suite(.needsSlot) struct OutboxConflictModelTests {
    private static let runs =
        ProcessInfo.processInfo.environment["PATCHBAY_OUTBOX_RUNS"].flatMap(Int.init) ?? 40

    @Test(arguments: [StoreSubject.memory, .sqliteInMemory])
    func `16: no change of another device is overwritten unseen, and at the end both sides have the same`(
        subject: StoreSubject
    ) async throws {
        for run in 0..<Self.runs { try await ConflictRun(subject, seed: UInt64(run)).run() }
    }
}

/// What the app and the other devices have done.
private struct ConflictModel: Sendable {
    var random: SeededGenerator
    /// The version of the row that the app has seen for a request, by its first key.
    var seen: [String: Int] = [:]
    /// The column that the app has changed with it.
    var columns: [String: String] = [:]
    /// The versions of the notes that other devices have made, with the column that each has changed.
    var elsewhere: [String: [Int: String]] = [:]
    /// Those that the app has decided on.
    var decided: [String: Set<Int>] = [:]
    /// The number of next requests that are refused with 409.
    var refusals = 0
    var violations: [String] = []
    private var lastNumber = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// A request comes to the server.
    /// - Parameter cells: the row of the request, and that of the server.
    /// - Returns: true to refuse it.
    mutating func received(_ request: HTTPRequest, _ cells: [String: (new: String, old: String)], at now: Int) -> Bool {
        let (note, key) = (request.url.lastPathComponent, Self.firstKey(request.fields[.idempotencyKey] ?? ""))
        defer { refusals = max(0, refusals - 1) }
        guard request.fields[.ifMatch] != "\"\"" else { return true }
        let version = Self.version(request.fields[.ifMatch] ?? "")
        guard let version, let seen = seen[key], let column = columns[key] else {
            violations.append("\(key) of \(note) has no version.")
            return true
        }
        let unseen = (elsewhere[note] ?? [:]).filter {
            $0.key > seen && $0.key <= version && $0.value == column && decided[note]?.contains($0.key) != true
        }
        if !unseen.isEmpty { violations.append("\(key) of \(note): made on \(seen), sent for \(version): \(unseen)") }
        for (name, cell) in cells where version == now && name != column && cell.new != cell.old {
            violations.append("\(key) of \(note): \(name) was \(cell.old), and is \(cell.new)")
        }
        return refusals > 0
    }

    /// The app has decided on a conflict.
    mutating func decided(_ resolution: OutboxResolution, _ key: String, _ note: String, seeing version: Int) {
        switch resolution {
        case .client, .merged:
            seen[key] = version
            decided[note, default: []].formUnion((elsewhere[note] ?? [:]).keys.filter { $0 <= version })
        case .server, .ask: break
        }
    }

    static func version(_ tag: String) -> Int? { Int(tag.filter { $0 != "\"" }) }
    /// Without the number of resolutions.
    static func firstKey(_ key: String) -> String { key.split(separator: ".").first.map(String.init) ?? key }
}

/// One random run.
private final class ConflictRun: Sendable {
    private let seed: UInt64
    private let world: EditWorld
    private let model: Mutex<ConflictModel>

    init(_ subject: StoreSubject, seed: UInt64) throws {
        self.seed = seed
        world = try EditWorld(subject)
        model = Mutex(ConflictModel(seed: seed))
        world.notes.notes.update { $0["n2"] = .init(title: "a", text: "x", version: 1) }
        try world.base.store.execute("INSERT INTO note VALUES ('n2', 'a', 'x', '\"1\"')", [])
        world.base.network.set(.reachable)
        world.notes.script.withLock {
            $0 = { [unowned self] request in
                guard request.method == .put, let note = world.notes.notes.value[request.url.lastPathComponent] else {
                    return nil
                }
                let body = try await JSONValue(parsing: request.body.collect())
                let cells = [
                    "title": (new: body["title"]?.string ?? "", old: note.title),
                    "text": (new: body["text"]?.string ?? "", old: note.text),
                ]
                return model.withLock { $0.received(request, cells, at: note.version) }
                    ? request.response(.conflict) : nil
            }
        }
    }

    private func random(_ count: Int) -> Int { model.withLock { Int.random(in: 0..<count, using: &$0.random) } }
    private func note() -> String { random(2) == 0 ? "n1" : "n2" }

    func run() async throws {
        var outbox = try open()
        for _ in 0..<30 {
            switch random(15) {
            case 0...4: try add(note(), to: outbox)
            case 5...7: changeElsewhere()
            case 8: world.notes.lost.withLock { $0 += 1 }
            case 9: model.withLock { $0.refusals += 1 }
            case 10:
                await outbox.close()
                outbox = try open()
            case 11: world.base.network.set(random(2) == 0 ? .unreachable : .reachable)
            case 12: try settleFailures(of: outbox)
            case 13: try discard(from: outbox)
            default: try await Task.sleep(for: .microseconds(300))
            }
        }
        try await finish(outbox)
    }

    private func open() throws -> Outbox {
        try world.open {
            $0.conflicts = OutboxConflicts { [unowned self] conflict in
                let resolution: OutboxResolution =
                    switch random(4) {
                    case 0: .client
                    case 1: .server
                    case 2: conflict.mergedByColumn
                    default: .ask
                    }
                decided(resolution, conflict.edit, conflict.entry.id)
                return resolution
            }
        }
    }

    private func decided(_ resolution: OutboxResolution, _ edit: PendingEdit, _ id: OutboxEntry.ID) {
        guard case .text(let note)? = edit.key["id"], case .text(let tag)? = edit.server?["etag"],
            let version = ConflictModel.version(tag)
        else { return }
        model.withLock { $0.decided(resolution, ConflictModel.firstKey(id.idempotencyKey), note, seeing: version) }
    }

    /// Changes one column of what the app sees; the request has the whole row.
    private func add(_ note: String, to outbox: Outbox) throws {
        let text = "mine \(model.withLock { $0.nextNumber() })"
        let isTitle = random(2) == 0
        try world.base.transact {
            let row = try world.base.store.rows("SELECT title, text, etag FROM note WHERE id = ?", [.text(note)])
            guard case .text(var title)? = row.first?[0], case .text(var body)? = row.first?[1],
                case .text(let tag)? = row.first?[2]
            else {
                Issue.record("no row, seed \(seed)")
                return
            }
            if isTitle { title = text } else { body = text }
            let request = try OutboxWorld.request(
                .put, "/notes/\(note)", #"{"title":"\#(title)","text":"\#(body)"}"#)
            let edit = RowEdit(
                upserting: ["id": .text(note), "title": .text(title), "text": .text(body)], into: "note",
                versionColumn: "etag")
            let ticket = try outbox.add(request, key: note, as: "save note", editing: [edit])
            model.withLock {
                // A version that no row has: what it was made on is what the app sees.
                $0.seen[ticket.id.idempotencyKey] = ConflictModel.version(tag) ?? 0
                $0.columns[ticket.id.idempotencyKey] = isTitle ? "title" : "text"
            }
        }
    }

    /// The app discards an entry that may have later ones of its note behind it.
    private func discard(from outbox: Outbox) throws {
        let entries = try outbox.entries() + outbox.failures
        guard !entries.isEmpty else { return }
        do { try outbox.discard(entries[random(entries.count)].id) } catch is OutboxError {}
    }

    private func changeElsewhere() {
        let (id, text, isTitle) = (note(), "theirs \(model.withLock { $0.nextNumber() })", random(2) == 0)
        world.notes.notes.update { notes in
            guard var note = notes[id] else { return }
            note.version += 1
            if isTitle { note.title = text } else { note.text = text }
            notes[id] = note
            model.withLock { $0.elsewhere[id, default: [:]][note.version] = isTitle ? "title" : "text" }
        }
    }

    /// The app decides on what was asked, and sends other failed entries again.
    private func settleFailures(of outbox: Outbox) throws {
        for failure in try outbox.failures {
            let choice = random(3)
            try world.base.transact {
                guard let edit = try outbox.edits(of: failure.id).first else { return }
                let resolution: OutboxResolution =
                    choice == 0 ? .client : choice == 1 ? .server : .merged(edit.changes)
                // A server's row that was never fetched is the one that the edit was made on.
                do {
                    if edit.server?["etag"] != edit.rowVersion {
                        decided(resolution, edit, failure.id)
                        try outbox.resolve(failure.id, with: resolution)
                    } else {
                        try outbox.retry(failure.id)
                    }
                } catch is OutboxError {}
            }
        }
    }

    /// Edits each note once more, and sends all.
    private func finish(_ outbox: Outbox) async throws {
        world.base.network.set(.reachable)
        for note in ["n1", "n2"] { try add(note, to: outbox) }
        while try !(outbox.entries() + outbox.failures).isEmpty {
            try settleFailures(of: outbox)
            outbox.sendNow()
            try await Task.sleep(for: .microseconds(500))
        }
        await outbox.close()
        #expect(model.withLock { $0.violations } == [], "seed \(seed)")
        #expect(try world.edits().isEmpty, "seed \(seed)")
        for (id, note) in world.notes.notes.value {
            let row = try world.base.store.rows("SELECT title, text, etag FROM note WHERE id = ?", [.text(id)]).first
            #expect(row == [.text(note.title), .text(note.text), .text("\"\(note.version)\"")], "seed \(seed), \(id)")
        }
    }
}
