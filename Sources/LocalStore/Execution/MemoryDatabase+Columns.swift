import StoreCore

// ALTER TABLE RENAME COLUMN and DROP COLUMN. Both edit the text of the table's definition as SQLite does, and compile
// it.
extension MemoryDatabase {
    mutating func renameColumn(
        _ column: SQLName, of slot: Int, to name: String, isQuoted: Bool
    ) throws(StoreError) {
        let old = try table(slot).definition
        let renamed = try Self.index(of: column, in: old)
        var text = Array(old.text.utf8)
        for mention in try SQLParser.table(old.text).mentions.reversed()
        where mention.column == old.schema.columns[renamed].name {
            // Quoted if the new name or the old one is.
            var replacement = Array(name.utf8)
            if isQuoted || !SQLCursor.isNameByte(text[mention.range.lowerBound]) {
                replacement = Array(SQLIdentifier(name).quoted.utf8)
                if text[mention.range.upperBound] == UInt8(ascii: "\"") { replacement.append(UInt8(ascii: " ")) }
            }
            text.replaceSubrange(mention.range, with: replacement)
        }
        try redefine(slot, try Self.definition(text))
    }

    mutating func dropColumn(_ column: SQLName, of slot: Int) throws(StoreError) {
        let old = try table(slot).definition
        let dropped = try Self.index(of: column, in: old)
        let tree = try SQLParser.table(old.text)
        func refused(_ reason: String) -> StoreError {
            .syntax("cannot drop column \(old.schema.columns[dropped].name): \(reason)", at: column.offset)
        }
        if old.primaryKey.contains(dropped) { throw refused("it is in the PRIMARY KEY") }
        if old.uniqueKeys.contains(where: { $0.contains(dropped) }) { throw refused("it is UNIQUE") }
        guard tree.columns.count > 1 else { throw refused("no other columns exist") }
        var text = Array(old.text.utf8)
        var start = tree.columns[dropped].offset
        var end = tree.columnsEnd
        if dropped + 1 < tree.columns.count {
            end = tree.columns[dropped + 1].offset
        } else {
            // The last column goes with the comma before it.
            start = text[..<start].lastIndex(of: UInt8(ascii: ",")) ?? start
        }
        text.removeSubrange(start..<end)
        dropColumn(dropped, of: slot, try Self.definition(text))
    }

    private static func index(of column: SQLName, in definition: MemoryTableDefinition) throws(StoreError) -> Int {
        guard let index = definition.schema.index(of: SQLIdentifier(column.name)) else {
            throw .noSuchColumn(column.name, in: definition.name.text, at: column.offset)
        }
        return index
    }

    private static func definition(_ text: [UInt8]) throws(StoreError) -> MemoryTableDefinition {
        try MemoryTableDefinition(try SQLParser.table(String(decoding: text, as: UTF8.self)))
    }
}
