import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// Waiting edits of one row, the first of which has a conflict: each request has the whole row, and must not overwrite
/// what another user has changed, or what was decided, in columns that its edit has not changed.
@Suite(.needsSlot) struct OutboxChainTests {
    private static let stores: [StoreSubject] = [.memory, .sqliteInMemory]

    /// How the conflict of the first edit, of the title, is resolved.
    enum Way: CaseIterable, Sendable {
        case byColumn, client, server, byHand, noCells

        var resolution: OutboxResolution {
            switch self {
            case .byColumn: .merged(["title": "mine"])
            case .client: .client
            case .server: .server
            case .byHand: .merged(["title": "both"])
            case .noCells: .merged([:])
            }
        }

        /// The title at the end.
        func title(_ theirs: String?) -> String {
            switch self {
            case .byColumn, .client: "mine"
            case .server: theirs ?? "a"
            case .byHand: "both"
            case .noCells: theirs ?? "mine"
            }
        }
    }

    /// Which outbox resolves the conflict.
    enum Resolver: CaseIterable, Sendable {
        /// The rules of the outbox that sends.
        case rules
        /// The app, later.
        case app
        /// The app, after a relaunch.
        case relaunch
        /// The app, in another process.
        case otherProcess
    }

    @Test(arguments: Way.allCases, Resolver.allCases)
    func `no edit of a chain overwrites a column that it has not changed`(
        way: Way, resolver: Resolver
    ) async throws {
        let stores: [StoreSubject] = resolver == .otherProcess ? [.sqliteFile] : Self.stores
        for subject in stores {
            for count in 2...3 {
                for theirs in [nil, "theirs"] {
                    for isLate in resolver == .rules ? [false] : [false, true] {
                        try await Self.run(subject, way, resolver, count: count, theirs: theirs, isLate: isLate)
                    }
                }
            }
        }
    }

    /// - Parameters:
    ///   - theirs: the title by another user; the text is changed too.
    ///   - isLate: true if the last edit is made when the server's row is known.
    private static func run(
        _ subject: StoreSubject, _ way: Way, _ resolver: Resolver, count: Int, theirs: String?, isLate: Bool
    ) async throws {
        let world = try SheetWorld(subject)
        let resolution = way.resolution
        let options: @Sendable (inout OutboxOptions) -> Void = { options in
            options.conflicts = OutboxConflicts { conflict in
                let isFirst = conflict.edit.changes["title"] != nil
                return isFirst ? (resolver == .rules ? resolution : .ask) : conflict.mergedByColumn
            }
        }
        var outbox = try world.open(options)
        let edits: [Sheet.Row] = [["title": "mine"], ["state": "done"], ["state": "closed"]]
        var ids: [OutboxEntry.ID] = []
        for edit in edits.prefix(isLate ? count - 1 : count) { ids.append(try world.edit(outbox, edit)) }
        world.sheet.change(["text": "theirs"].merging(theirs.map { ["title": $0] } ?? [:]) { $1 })
        world.base.network.set(.reachable)
        if resolver != .rules {
            try await outbox.status { $0.failed == 1 && $0.isSettled }
            world.base.network.set(.unreachable)
            if isLate { ids.append(try world.edit(outbox, edits[count - 1])) }
            let first = outbox
            switch resolver {
            case .relaunch:
                await outbox.close()
                outbox = try world.open(options)
            case .otherProcess: outbox = try world.open(isOther: true, options)
            case .rules, .app: break
            }
            try outbox.resolve(ids[0], with: resolution)
            world.base.network.set(.reachable)
            if resolver == .otherProcess { await first.close() }
        }
        let note: Comment = "\(subject), \(count) edits, \(theirs ?? "no title"), late \(isLate)"
        let status = try await outbox.waitUntilSettled()
        #expect(status.failed == 0 && status.waiting == 0, note)
        let expected = ["title": way.title(theirs), "text": "theirs", "state": count == 3 ? "closed" : "done"]
        let state = world.sheet.state.withLock(\.self)
        #expect(state.row == expected, note)
        #expect(try world.row == expected, note)
        let columns: [Set<String>] = [["title"], ["state"], ["state"]]
        for change in state.changes {
            let index = try #require(ids.firstIndex { $0.idempotencyKey == change.key }, note)
            #expect(change.columns.isSubset(of: columns[index]), note)
        }
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a merge by hand keeps the edit's other changes, and the server's value of a column left out`(
        subject: StoreSubject
    ) async throws {
        let world = try SheetWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .ask } }
        let id = try world.edit(outbox, ["title": "mine", "text": "mine", "state": "done"])
        world.sheet.change(["title": "theirs", "text": "theirs"])
        world.base.network.set(.reachable)
        try await outbox.waitUntilSettled()
        try outbox.resolve(id, with: .merged(["title": "both"]))
        try await outbox.waitUntilSettled()
        let expected = ["title": "both", "text": "theirs", "state": "done"]
        #expect(world.sheet.state.withLock { $0.row } == expected)
        #expect(try world.row == expected)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `the closure writes the row for the client's side too`(subject: StoreSubject) async throws {
        let world = try SheetWorld(subject)
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in .client }
            $0.conflicts?.write = { row, request in
                #expect(row["title"] == "mine" && row["text"] == "theirs" && row["etag"] == "\"2\"")
                try request.setBody(.text(#"{"title":"mine","text":"theirs","state":"by the closure"}"#))
            }
        }
        try world.edit(outbox, ["title": "mine"])
        world.sheet.change(["text": "theirs"])
        world.base.network.set(.reachable)
        try await outbox.waitUntilSettled()
        #expect(world.sheet.state.withLock { $0.row["state"] } == "by the closure")
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a body that is no object of the row is sent as it is for the client's side`(subject: StoreSubject)
        async throws
    {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        let bodies = Watched<[String]>([])
        world.notes.script.withLock {
            $0 = { request in
                guard request.method == .put else { return nil }
                let text = try await String(decoding: request.body.collect(), as: UTF8.self)
                bodies.update { $0.append(text) }
                return request.fields[.ifMatch] == "\"1\""
                    ? request.response(.preconditionFailed) : request.response(.ok)
            }
        }
        let edit = RowEdit(upserting: ["id": "n1", "title": "b"], into: "note", versionColumn: "etag")
        for body in ["title=b&text=x", #"{"rename":"b"}"#] {
            let request = try OutboxWorld.request(.put, "/notes/n1", body)
            try outbox.add(request, key: body, as: "rename", editing: [edit])
            world.notes.notes.update { $0["n1"] = .init(title: "s", text: "t", version: 2) }
            world.base.network.set(.reachable)
            try await outbox.waitUntilSettled()
            #expect(bodies.value.last == body)
            #expect(try outbox.failures.isEmpty)
            world.base.network.set(.unreachable)
        }
        await outbox.close()
    }

    /// The first edit is refused for another reason than its version.
    @Test(arguments: stores, [["state": "done"], ["title": "right"]])
    func `an edit on top of a discarded one does not bring its cells back`(
        subject: StoreSubject, second: [String: String]
    ) async throws {
        let world = try SheetWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let first = try world.edit(outbox, ["title": "wrong"])
        try world.edit(outbox, second)
        try outbox.discard(first)
        world.base.network.set(.reachable)
        let status = try await outbox.waitUntilSettled()
        #expect(status.failed == 0)
        let expected = ["title": "a", "text": "x", "state": "open"].merging(second) { $1 }
        #expect(world.sheet.state.withLock { $0.row } == expected)
        #expect(try world.row == expected)
        await outbox.close()
    }
}
