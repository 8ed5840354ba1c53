import Foundation

@testable import DeltaSync
@testable import StoreCore

/// What the app receives, and what it sees.
extension EditRun {
    /// Makes the response to a request of now, which may be received later.
    func request(isFullLoad: Bool? = nil, isCounted: Bool? = nil) throws {
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
        note("requested, with \(count.map { "\($0)" } ?? "no count"): \(text)")
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
    func receive() throws {
        guard !responses.isEmpty else { return }
        let response = responses.removeFirst()
        var source = DeltaFixture.source(Data(response.text.utf8), chunkSize: 100)
        do throws(DeltaError) {
            _ = try apply(&source, response)
            note("received")
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
    func receiveHalf() throws {
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
        let after = try fixture.state()
        try expect(after == before, "half a delta made \(before) to \(after)")
    }

    // MARK: Checks

    func visible() throws -> EditModel.Table {
        var table: EditModel.Table = [:]
        for row in try fixture.rows("id, label, gain, version") {
            guard case .integer(let key) = row[0] else { continue }
            table[key] = ["id": row[0], "label": row[1], "gain": row[2], EditModel.version: row[3]]
        }
        return table
    }

    func check() throws {
        let visible = try visible()
        let (waiting, known) = (try Set(edits.waiting().map(\.id)), Set(model.unsettled.map(\.id)))
        try expect(waiting == (owner == nil || owner == user ? known : []), "\(waiting) wait instead of \(known)")
        // A version that the row has never had at the server would be refused, or be one of another row.
        for (key, row) in visible where row[EditModel.version] != .null {
            let history = models[owner ?? user].history
            if row[EditModel.version] == EditedRow.unknownVersion { continue }
            try expect(
                history.contains { $0[key]?[EditModel.version] == row[EditModel.version] }, "no such version: \(row)")
        }
        guard hasOthers else {
            let rows = visible.mapValues { $0.filter { $0.key != EditModel.version } }
            return try expect(rows == model.mine, "the app sees \(rows) instead of \(model.mine)")
        }
        // The rows of another user have none of these edits. Before the first load a table has those of all.
        if owner == nil, kind == .users { return }
        for (key, expected) in models[owner ?? user].expected {
            guard let expected else {
                try expect(visible[key] == nil, "row \(key) is not deleted")
                continue
            }
            try expect(
                expected.allSatisfy { visible[key]?[$0.key] == $0.value },
                "row \(key) is \(String(describing: visible[key])) instead of \(expected)")
        }
    }
}
