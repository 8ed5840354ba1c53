import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Edits that other devices undo before a delta has come: the delta leaves the row out, since it is as before.
@Suite(.needsSlot) struct PendingEditsReturnTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The rows of version 1.
        let rows: [String]
        let edits: [RowEdit]
        /// What has come before the response to the edits, as version 2; nil for no delta.
        var delta: [String]?
        /// The server's rows, which the next delta leaves out.
        let expected: [[StoreValue]]
    }

    private static let row = #"+{"id":1,"label":"a","gain":1}"#
    private static let deletion = RowEdit(deleting: ["id": 1], from: "socket", versionColumn: "gain")
    private static func edit(_ cells: ColumnValues) -> RowEdit {
        RowEdit(upserting: cells.merging(["id": 1]) { $1 }, into: "socket")
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "created, and deleted elsewhere", rows: [], edits: [edit(["label": "b"])], expected: []),
        Case(
            testDescription: "changed, and changed back elsewhere", rows: [row], edits: [edit(["label": "b"])],
            expected: [[1, "a", 1.0]]),
        Case(
            testDescription: "changed, and changed back elsewhere, which a delta has brought", rows: [row],
            edits: [edit(["label": "b"])], delta: [#"+{"id":1,"label":"a","gain":2}"#], expected: [[1, "a", 2.0]]),
        Case(
            testDescription: "deleted, and created again elsewhere", rows: [row], edits: [deletion],
            expected: [[1, "a", 1.0]]),
        Case(
            testDescription: "deleted, and created again elsewhere, which a delta has brought", rows: [row],
            edits: [deletion], delta: [row], expected: [[1, "a", 1.0]]),
        Case(
            testDescription: "a deletion of no row, and an insertion, which a delta has brought", rows: [],
            edits: [deletion, edit(["label": "b"])], delta: [#"+{"id":1,"label":"b","gain":2}"#],
            expected: [[1, "b", 2.0]]),
        Case(
            testDescription: "created and deleted here", rows: [], edits: [edit(["label": "b"]), deletion],
            expected: []),
    ]

    @Test(arguments: StoreSubject.all, cases)
    func `a delta that leaves a row out has the row of the version before`(kind: StoreSubject, row: Case) throws {
        for isCounted in [true, false] {
            try DeltaFixture.run(kind) { fixture in
                try fixture.apply(nil, "1", row.rows)
                let edits = try PendingEdits(in: fixture.store)
                for (id, edit) in row.edits.enumerated() { try edits.add(edit, id: "\(id)") }
                if let delta = row.delta { try fixture.apply("1", "2", delta) }
                let seen = try fixture.rows("*")
                for id in row.edits.indices { try edits.sent("\(id)") }
                #expect(try fixture.rows("*") == seen)
                try Self.receiveNothing(fixture, isCounted: isCounted)
                #expect(try fixture.rows("*") == row.expected)
                #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
            }
        }
    }

    /// The server's row is fetched for a refused edit, which is discarded.
    @Test(arguments: StoreSubject.all, [["label": "theirs", "gain": 2], nil] as [ColumnValues?])
    func `a fetched row stays until a delta that was requested later`(kind: StoreSubject, server: ColumnValues?) throws
    {
        for isCounted in [true, false] {
            try DeltaFixture.run(kind) { fixture in
                try fixture.apply(nil, "1", [Self.row])
                let edits = try PendingEdits(in: fixture.store)
                let fetched: [[StoreValue]] = server == nil ? [] : [[1, "theirs", 2.0]]
                let older = DeltaFixture.text("1", "2", [#"+{"id":1,"label":"older","gain":1}"#])
                try fixture.applier.update(fixture.target) { _ in
                    try edits.add(
                        RowEdit(upserting: ["id": 1, "label": "mine"], into: "socket", versionColumn: "gain"), id: "e")
                    try edits.received(server, refusing: edits.edits(of: "e")[0])
                    #expect(try edits.edits(of: "e")[0].server?["label"] == server?["label"])
                    try edits.discard("e")
                    #expect(try fixture.rows("*") == fetched)
                    return DeltaFixture.source(Data(older.utf8), chunkSize: 1000)
                }
                #expect(try fixture.rows() == fetched.map { Array($0.prefix(2)) })
                try Self.receiveNothing(fixture, isCounted: isCounted)
                #expect(try fixture.rows("*") == [[1, "older", 1.0]])
                #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[0]])
            }
        }
    }

    /// Deltas without operations, which were requested after all sends; without a count of sends only the second one
    /// tells that, by its version.
    private static func receiveNothing(_ fixture: DeltaFixture, isCounted: Bool) throws {
        let version = try #require(fixture.version().flatMap { Int($0) })
        if isCounted {
            let text = DeltaFixture.text("\(version)", "\(version + 1)")
            try fixture.applier.update(fixture.target) { _ in
                DeltaFixture.source(Data(text.utf8), chunkSize: 1000)
            }
        } else {
            for next in version...(version + 1) { try fixture.apply("\(next)", "\(next + 1)") }
        }
    }
}
