import StoreCore

extension SQLParser {
    mutating func create() throws(StoreError) -> SQLStatement.Kind {
        try expect("CREATE")
        try rejectUnsupported("TEMP", "TEMPORARY", "INDEX", "UNIQUE", "VIEW", "TRIGGER", "VIRTUAL")
        try expect("TABLE")
        let hasCondition = try takeClause("IF", "NOT", "EXISTS")
        let name = try tableName()
        // The stored text has no database name.
        let start = previousStart
        try rejectUnsupported("AS")
        try expect(.leftParenthesis)
        var table = SQLTableDefinition(name: name)
        repeat {
            if isTableConstraint {
                try tableConstraint(&table)
            } else {
                guard !hasTableConstraint else { throw unexpected("a constraint") }
                try column(of: &table)
                table.columnsEnd = offset - start
            }
        } while take(.comma) || isTableConstraint
        try expect(.rightParenthesis)
        try rejectUnsupported("WITHOUT", "STRICT")
        let head = "CREATE TABLE "
        table.text = head + text(start..<previousEnd)
        table.columnsEnd += head.utf8.count
        try check(table)
        return .createTable(table, ifNotExists: hasCondition)
    }

    mutating func drop() throws(StoreError) -> SQLStatement.Kind {
        try expect("DROP")
        try rejectUnsupported("INDEX", "VIEW", "TRIGGER")
        try expect("TABLE")
        let hasCondition = try takeClause("IF", "EXISTS")
        return .dropTable(try tableName(), ifExists: hasCondition)
    }

    private mutating func takeClause(_ keywords: String...) throws(StoreError) -> Bool {
        guard let first = keywords.first, take(first) else { return false }
        for keyword in keywords.dropFirst() { try expect(keyword) }
        return true
    }

    // MARK: Columns

    mutating func column(of table: inout SQLTableDefinition) throws(StoreError) {
        let start = offset
        let name = try columnMention(&table)
        var column = SQLColumnDefinition(name: name, declaredType: try typeName(), offset: start)
        while try columnConstraint(&column, &table) {}
        table.columns.append(column)
    }

    /// Parses a column's name and records where it is.
    private mutating func columnMention(_ table: inout SQLTableDefinition) throws(StoreError) -> String {
        let range = current.range
        let name = try name("a column")
        table.mentions.append(SQLTableDefinition.Mention(column: SQLIdentifier(name), range: range))
        return name
    }

    private mutating func columnConstraint(
        _ column: inout SQLColumnDefinition, _ table: inout SQLTableDefinition
    ) throws(StoreError) -> Bool {
        if take("CONSTRAINT") { _ = try name("a constraint") }
        if take("PRIMARY") {
            try expect("KEY")
            try rejectUnsupported("DESC")
            _ = take("ASC")
            try rejectUnsupported("ON", "AUTOINCREMENT")
            guard table.primaryKey.isEmpty else {
                throw .syntax("the table has more than one primary key", at: previousEnd)
            }
            column.isPrimaryKey = true
            table.primaryKey = [column.name]
            table.uniqueKeys.append([column.name])
        } else if take("UNIQUE") {
            column.isUnique = true
            table.uniqueKeys.append([column.name])
            try rejectUnsupported("ON")
        } else if take("NOT") {
            try expect("NULL")
            column.isNotNull = true
            try rejectUnsupported("ON")
        } else if take("NULL") {
            try rejectUnsupported("ON")
        } else if take("DEFAULT") {
            try defaultValue(&column)
        } else if take("COLLATE") {
            guard current.keyword == "BINARY" else { throw .unsupportedSQL("COLLATE", at: offset) }
            advance()
        } else {
            if isAt("REFERENCES") { throw .unsupportedSQL("FOREIGN KEY", at: offset) }
            try rejectUnsupported("CHECK", "GENERATED", "AS", "AUTOINCREMENT")
            return false
        }
        return true
    }

    private mutating func defaultValue(_ column: inout SQLColumnDefinition) throws(StoreError) {
        if take(.leftParenthesis) {
            column.defaultValue = try expression()
            column.isDefaultComputed = true
            return try expect(.rightParenthesis)
        }
        let isNegative = take(.minus)
        if !isNegative { _ = take(.plus) }
        if isNegative, let number = try negatedNumber() {
            column.defaultValue = number
            return
        }
        switch current.kind {
        case .word(let word, let quote):
            try rejectUnsupported("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP")
            guard quote != .double || allowsDoubleQuotedText else {
                throw .noSuchColumn(word, in: nil, at: offset, isDoubleQuoted: true)
            }
            guard !isNegative else { throw unexpected("a number") }
            switch current.keyword {
            case "NULL": column.defaultValue = .value(.null)
            case "TRUE": column.defaultValue = .value(.integer(1))
            case "FALSE": column.defaultValue = .value(.integer(0))
            default: column.defaultValue = .value(.text(word))
            }
            advance()
        case .integer, .real, .text, .blob:
            let value = try operand()
            column.defaultValue = isNegative ? .negate(value) : value
        default: throw unexpected("a value")
        }
    }

    // MARK: Constraints of the table

    private var isTableConstraint: Bool {
        switch current.keyword {
        case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN": true
        default: false
        }
    }

    private mutating func tableConstraint(_ table: inout SQLTableDefinition) throws(StoreError) {
        guard !table.columns.isEmpty else { throw unexpected("a column") }
        hasTableConstraint = true
        if take("CONSTRAINT") { _ = try name("a constraint") }
        if isAt("FOREIGN") { throw .unsupportedSQL("FOREIGN KEY", at: offset) }
        try rejectUnsupported("CHECK")
        let isPrimary = take("PRIMARY")
        try expect(isPrimary ? "KEY" : "UNIQUE")
        let start = offset
        try expect(.leftParenthesis)
        var columns: [String] = []
        repeat {
            columns.append(try columnMention(&table))
            try rejectUnsupported("COLLATE", "DESC", "AUTOINCREMENT")
            _ = take("ASC")
        } while take(.comma)
        try expect(.rightParenthesis)
        try rejectUnsupported("ON")
        if isPrimary {
            guard table.primaryKey.isEmpty else { throw .syntax("the table has more than one primary key", at: start) }
            table.primaryKey = columns
        }
        table.uniqueKeys.append(columns)
    }

    private func check(_ table: SQLTableDefinition) throws(StoreError) {
        let names = table.columns.map { SQLIdentifier($0.name) }
        guard Set(names).count == names.count else {
            throw StoreError(.invalidArgument, "duplicate column name in table \(table.name)")
        }
        for key in table.uniqueKeys {
            for column in key where !names.contains(SQLIdentifier(column)) {
                throw .noSuchColumn(column, in: table.name)
            }
            guard Set(key.map { SQLIdentifier($0) }).count == key.count else {
                throw .unsupportedSQL("duplicate column in a key", at: 0)
            }
        }
    }
}
