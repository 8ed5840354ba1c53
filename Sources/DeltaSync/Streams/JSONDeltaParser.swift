import JSON
import StoreCore

/// Incremental parser for the JSON list that ``JSONDeltaSource`` documents: a state machine without I/O.
///
/// ```
/// start -> header -> comma -> element -> comma ...      `[`, the header, then elements separated by commas
///                             element -> closing -> end    the `end` element, then `]`
/// ```
struct JSONDeltaParser: Sendable {
    private enum State {
        case start, header, comma, element, closing, end
    }

    private struct Table: Sendable {
        let schema: TableSchema
        var layout: JSONRowLayout
        /// Column indexes of the primary key.
        let key: [Int]
    }

    /// Cells of the widest table.
    let cellCount: Int
    /// True once all bytes of the stream have been received.
    var isInputComplete = false
    /// Error of the batch that refused a cell; the parsed operations are then discarded.
    private(set) var sinkError: StoreError?

    private var state = State.start
    private var tables: [Table]
    /// The current table, chosen by the last `table` element.
    private var table: Int?
    /// The step for the operations now in the buffer; nil when it is empty.
    private var pendingStep: DeltaStep?
    private var counts: DeltaCounts?

    init(_ target: DeltaTarget?) {
        tables = (target?.tables ?? []).map { schema in
            Table(
                schema: schema,
                layout: JSONRowLayout(
                    columns: schema.columns.map(\.name.text), shape: .objects,
                    ignoresUnknownColumns: target?.ignoresUnknownColumns == true),
                key: schema.primaryKey.compactMap { schema.index(of: $0) })
        }
        cellCount = tables.map(\.schema.columns.count).max() ?? 0
    }

    mutating func header(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> DeltaHeader {
        scanner.commitWhitespace()
        if state == .start {
            guard scanner.take("[") else { throw scanner.stop(.list) }
            state = .header
            scanner.commitWhitespace()
        }
        guard state == .header else { throw scanner.stop(.nothing) }
        let start = scanner.stop(.header)
        var resource: String?
        var from: String??
        var to: String?
        var hasMore: Bool?
        try scanner.members(.header) { (scanner) throws(JSONScanner.Stop) in
            if resource == nil, try scanner.takeMember("resource") {
                resource = try scanner.text()
            } else if from == nil, try scanner.takeMember("from") {
                from = .some(try scanner.nullableText())
            } else if to == nil, try scanner.takeMember("to") {
                to = try scanner.text()
            } else if hasMore == nil, try scanner.takeMember("more") {
                hasMore = try scanner.bool()
            } else {
                try scanner.failUnknownName(.member)
            }
        }
        guard let to else { throw start }
        try scanner.commit()
        state = .comma
        return DeltaHeader(resource: resource, baseVersion: from ?? nil, targetVersion: to, hasMore: hasMore ?? false)
    }

    /// Reads operations of one kind, until another kind follows or the buffer is full.
    mutating func next(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, into buffer: inout DeltaBuffer
    ) throws(JSONScanner.Stop) -> DeltaStep {
        while sinkError == nil {
            scanner.commitWhitespace()
            switch state {
            case .start, .header: throw scanner.stop(.header)
            case .comma:
                guard scanner.take(",") else { throw scanner.stop(.comma) }
                state = .element
            case .element:
                if try element(&scanner, cells, into: &buffer), let step = pendingStep {
                    pendingStep = nil
                    return step
                }
            case .closing:
                guard scanner.take("]") else { throw scanner.stop(.closingBracket) }
                state = .end
            case .end:
                guard scanner.isAtEnd, isInputComplete else { throw scanner.stop(.nothing) }
                return .end(counts)
            }
        }
        return .end(nil)
    }

    /// Reads an element.
    /// - Returns: true when the buffer must be delivered: it is full, or the next operation is of another kind.
    private mutating func element(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, into buffer: inout DeltaBuffer
    ) throws(JSONScanner.Stop) -> Bool {
        try scanner.expect("{", .element)
        let name = scanner.stop(.tableFirst)
        if try scanner.takeMember("upsert") {
            guard let table else { throw name }
            guard continuesRun(.upserts(table: table)) else { return true }
            try upsert(&scanner, cells, table, into: &buffer.rows[table])
            return DeltaBuffer.isFull(buffer.rows[table])
        }
        if try scanner.takeMember("delete") {
            guard let table else { throw name }
            guard continuesRun(.deletes(table: table)) else { return true }
            try delete(&scanner, cells, table, into: &buffer.keys[table])
            return DeltaBuffer.isFull(buffer.keys[table])
        }
        guard pendingStep == nil else {
            // A name that is cut off may still become `upsert` or `delete`.
            if scanner.byte == UInt8(ascii: "\"") { _ = try scanner.string() }
            return true
        }
        if try scanner.takeMember("table") {
            try chooseTable(&scanner)
        } else if try scanner.takeMember("end") {
            try end(&scanner)
        } else {
            try scanner.failUnknownName(.operation)
        }
        return false
    }

    private func continuesRun(_ step: DeltaStep) -> Bool { pendingStep == nil || pendingStep == step }

    private mutating func upsert(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ table: Int, into batch: inout RowBatch
    ) throws(JSONScanner.Stop) {
        let start = scanner.stop(.key)
        try scanner.row(&tables[table].layout, into: cells.buffer)
        guard tables[table].key.allSatisfy({ cells.hasValue(at: $0) }) else { throw start }
        try endElement(&scanner)
        appendRow(cells, tables[table].schema.columns.count, to: &batch)
        pendingStep = .upserts(table: table)
    }

    private mutating func delete(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ table: Int, into batch: inout RowBatch
    ) throws(JSONScanner.Stop) {
        let start = scanner.stop(.key)
        let count = tables[table].key.count
        do throws(JSONScanner.Stop) { try scanner.list(count: count, into: cells.buffer) } catch {
            guard [.row, .moreCells, .endOfCells].contains(error.expected) else { throw error }
            throw JSONScanner.Stop(offset: error.offset, expected: .keyOfOneRow)
        }
        guard (0..<count).allSatisfy({ cells.hasValue(at: $0) }) else { throw start }
        try endElement(&scanner)
        appendRow(cells, count, to: &batch)
        pendingStep = .deletes(table: table)
    }

    private mutating func appendRow(_ cells: ScannedCells, _ count: Int, to batch: inout RowBatch) {
        do throws(StoreError) {
            try cells.appendRow(count, to: &batch)
        } catch {
            sinkError = error
        }
    }

    private mutating func chooseTable(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        let start = scanner.stop(.knownTable)
        let name = SQLIdentifier(try scanner.text())
        guard let index = tables.firstIndex(where: { $0.schema.name == name }) else { throw start }
        scanner.skipWhitespace()
        if scanner.take(",") {
            scanner.skipWhitespace()
            guard try scanner.takeMember("key") else { return try scanner.failUnknownName(.member) }
            let start = scanner.stop(.sameKey)
            var key: [SQLIdentifier] = []
            try scanner.elements { (scanner) throws(JSONScanner.Stop) in key.append(SQLIdentifier(try scanner.text())) }
            guard key == tables[index].schema.primaryKey else { throw start }
        }
        try endElement(&scanner)
        table = index
    }

    private mutating func end(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        let start = scanner.stop(.countsOfRows)
        var upserts: Int?
        var deletes: Int?
        try scanner.members(.countsOfRows) { (scanner) throws(JSONScanner.Stop) in
            if upserts == nil, try scanner.takeMember("upserts") {
                upserts = try scanner.count()
            } else if deletes == nil, try scanner.takeMember("deletes") {
                deletes = try scanner.count()
            } else {
                try scanner.failUnknownName(.member)
            }
        }
        guard let upserts, let deletes else { throw start }
        try endElement(&scanner)
        counts = DeltaCounts(upserts: upserts, deletes: deletes)
        state = .closing
    }

    private mutating func endElement(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        scanner.skipWhitespace()
        guard scanner.take("}") else { throw scanner.stop(.closingBrace) }
        try scanner.commit()
        state = .comma
    }
}
