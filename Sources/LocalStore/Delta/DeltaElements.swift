/// Reads the elements of the list that ``JSONDeltaSource`` describes, and remembers where in it the stream is.
struct DeltaElements: Sendable {
    private enum Place {
        case start, header, comma, element, closing, end
    }

    private struct Table: Sendable {
        let schema: TableSchema
        var layout: RowLayout
        /// The places of the key's columns.
        let key: [Int]
    }

    /// For how many cells there must be room.
    let cellCount: Int
    /// True when there are no bytes but those that have come.
    var isLastPiece = false
    /// Why a batch took no more; what was read then counts for nothing.
    private(set) var refusal: StoreError?

    private var place = Place.start
    private var tables: [Table]
    /// The table of the operations that follow.
    private var table: Int?
    /// What has been read into the buffer since it was handed out.
    private var run: DeltaStep?
    private var counts: DeltaCounts?

    init(_ target: DeltaTarget?) {
        tables = (target?.tables ?? []).map { schema in
            Table(
                schema: schema,
                layout: RowLayout(
                    names: ColumnNames(schema.columns.map(\.name.text)), shape: .objects,
                    ignoresUnknownColumns: target?.ignoresUnknownColumns == true),
                key: schema.primaryKey.compactMap { schema.index(of: $0) })
        }
        cellCount = tables.map(\.schema.columns.count).max() ?? 0
    }

    mutating func header(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> DeltaHeader {
        scanner.commitBlanks()
        if place == .start {
            guard scanner.take("[") else { throw scanner.stop(.list) }
            place = .header
            scanner.commitBlanks()
        }
        guard place == .header else { throw scanner.stop(.nothing) }
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
                try scanner.refuseName(.member)
            }
        }
        guard let to else { throw start }
        try scanner.commit()
        place = .comma
        return DeltaHeader(resource: resource, from: from ?? nil, to: to, hasMore: hasMore ?? false)
    }

    /// Reads operations of one kind, until there is one of another or the buffer is full.
    mutating func next(
        _ scanner: inout JSONScanner, into buffer: inout DeltaBuffer
    ) throws(JSONScanner.Stop) -> DeltaStep {
        while refusal == nil {
            scanner.commitBlanks()
            switch place {
            case .start, .header: throw scanner.stop(.header)
            case .comma:
                guard scanner.take(",") else { throw scanner.stop(.comma) }
                place = .element
            case .element:
                if try element(&scanner, into: &buffer), let step = run {
                    run = nil
                    return step
                }
            case .closing:
                guard scanner.take("]") else { throw scanner.stop(.closingBracket) }
                place = .end
            case .end:
                guard scanner.isAtEnd, isLastPiece else { throw scanner.stop(.nothing) }
                return .end(counts)
            }
        }
        return .end(nil)
    }

    /// Reads an element.
    /// - Returns: true when what is in the buffer is to be handed out first, or is enough.
    private mutating func element(
        _ scanner: inout JSONScanner, into buffer: inout DeltaBuffer
    ) throws(JSONScanner.Stop) -> Bool {
        try scanner.expect("{", .element)
        let name = scanner.stop(.tableFirst)
        if try scanner.takeMember("upsert") {
            guard let table else { throw name }
            guard belongs(.upserts(table: table)) else { return true }
            try upsert(&scanner, table, into: &buffer.rows[table])
            return DeltaBuffer.isFull(buffer.rows[table])
        }
        if try scanner.takeMember("delete") {
            guard let table else { throw name }
            guard belongs(.deletes(table: table)) else { return true }
            try delete(&scanner, table, into: &buffer.keys[table])
            return DeltaBuffer.isFull(buffer.keys[table])
        }
        guard run == nil else {
            // Half of a name may become one of those above.
            if scanner.byte == UInt8(ascii: "\"") { _ = try scanner.string() }
            return true
        }
        if try scanner.takeMember("table") {
            try chooseTable(&scanner)
        } else if try scanner.takeMember("end") {
            try end(&scanner)
        } else {
            try scanner.refuseName(.operation)
        }
        return false
    }

    private func belongs(_ step: DeltaStep) -> Bool { run == nil || run == step }

    private mutating func upsert(
        _ scanner: inout JSONScanner, _ table: Int, into batch: inout RowBatch
    ) throws(JSONScanner.Stop) {
        let start = scanner.stop(.key)
        try scanner.row(&tables[table].layout)
        guard tables[table].key.allSatisfy({ scanner.hasValue(at: $0) }) else { throw start }
        try endElement(&scanner)
        hand(scanner, tables[table].schema.columns.count, to: &batch)
        run = .upserts(table: table)
    }

    private mutating func delete(
        _ scanner: inout JSONScanner, _ table: Int, into batch: inout RowBatch
    ) throws(JSONScanner.Stop) {
        let start = scanner.stop(.key)
        let count = tables[table].key.count
        try scanner.list(count: count)
        guard (0..<count).allSatisfy({ scanner.hasValue(at: $0) }) else { throw start }
        try endElement(&scanner)
        hand(scanner, count, to: &batch)
        run = .deletes(table: table)
    }

    private mutating func hand(_ scanner: JSONScanner, _ count: Int, to batch: inout RowBatch) {
        do throws(StoreError) {
            try scanner.handOver(count, to: &batch)
        } catch {
            refusal = error
        }
    }

    private mutating func chooseTable(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        let start = scanner.stop(.knownTable)
        let name = SQLIdentifier(try scanner.text())
        guard let index = tables.firstIndex(where: { $0.schema.name == name }) else { throw start }
        scanner.skipBlanks()
        if scanner.take(",") {
            scanner.skipBlanks()
            guard try scanner.takeMember("key") else { return try scanner.refuseName(.member) }
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
                try scanner.refuseName(.member)
            }
        }
        guard let upserts, let deletes else { throw start }
        try endElement(&scanner)
        counts = DeltaCounts(upserts: upserts, deletes: deletes)
        place = .closing
    }

    private mutating func endElement(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        scanner.skipBlanks()
        guard scanner.take("}") else { throw scanner.stop(.closingBrace) }
        try scanner.commit()
        place = .comma
    }
}
