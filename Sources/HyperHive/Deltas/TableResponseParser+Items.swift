import DeltaSync
import JSON
import StoreCore

/// Members, rows and identifiers.
extension TableResponseParser {
    /// Reads a member name, and the value unless it is a list of rows or identifiers.
    mutating func member(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        let start = scanner.offset
        let name = try scanner.name()
        let member: Members =
            if name.elementsEqual("insert_rows".utf8) {
                .insertions
            } else if name.elementsEqual("delete_ids".utf8) {
                .deletions
            } else if name.elementsEqual("data".utf8) {
                .data
            } else if name.elementsEqual("name".utf8) {
                .name
            } else {
                []
            }
        guard members.isDisjoint(with: member) else { throw JSONScanner.Stop(offset: start, expected: .onceOnly) }
        if format == .full, !member.isDisjoint(with: [.insertions, .deletions]) {
            throw JSONScanner.Stop(offset: start, expected: .fullRows)
        }
        if format == .delta, member == .data { throw JSONScanner.Stop(offset: start, expected: .deltaRows) }
        switch member {
        case .insertions, .data: position = .list(.rows)
        case .deletions: position = .list(.identifiers)
        case .name:
            names[object] = try tableIndex(&scanner)
            position = .commaOrBrace
        default:
            try scanner.skipValue()
            position = .commaOrBrace
        }
        try scanner.commit()
        members.formUnion(member)
    }

    private func tableIndex(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> Int {
        let start = scanner.stop(.knownTable)
        let name = SQLIdentifier(try scanner.text())
        guard let index = tables.firstIndex(where: { SQLIdentifier($0.name) == name }) else { throw start }
        return index
    }

    mutating func beginList(_ scanner: inout JSONScanner, _ items: Items) throws(JSONScanner.Stop) {
        if scanner.byte == UInt8(ascii: "n") {
            _ = try scanner.scalar()
            try scanner.commit()
            position = .commaOrBrace
        } else {
            guard scanner.take("[") else { throw scanner.stop(.list) }
            position = .firstItemOrEnd(items)
        }
    }

    /// Reads a row or an identifier.
    /// - Returns: nil when the pass skips it.
    mutating func item(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ items: Items, _ pass: Pass
    ) throws(JSONScanner.Stop) -> Event? {
        let start = scanner.stop(.key)
        var event: Event?
        switch (items, pass, names[object]) {
        case (.rows, .rows, let table?):
            // A row of another length is of another schema: its cells would be stored in the wrong columns.
            try scanner.list(count: tables[table].schema.columns.count, into: cells.buffer)
            guard tables[table].key.allSatisfy({ cells.hasValue(at: $0) }) else { throw start }
            event = .row(table: table)
        case (.rows, _, _):
            guard scanner.byte == UInt8(ascii: "[") else { throw scanner.stop(.row) }
            try scanner.skipValue()
        case (.identifiers, _, let table):
            guard !scanner.isAtContainer else { throw scanner.stop(.identifier) }
            let identifier = try scanner.scalar()
            if case .null = identifier { throw start }
            if pass == .deletions, let table, !tables[table].key.isEmpty {
                cells.buffer[0] = identifier
                event = .deletion(table: table)
            }
        }
        try scanner.commit()
        position = .itemCommaOrEnd(items)
        return event
    }
}
