extension JSONScanner {
    /// Reads an object whose members' names are known. A name counts only as it stands here, without escapes.
    /// - Parameter body: reads one member.
    package mutating func members(
        _ expected: Expectation, _ body: (inout JSONScanner) throws(Stop) -> Void
    ) throws(Stop) {
        try expect("{", expected)
        if take("}") { return }
        while true {
            try body(&self)
            skipBlanks()
            if take("}") { return }
            try expect(",", .commaOrBrace)
        }
    }

    /// Reads a list.
    /// - Parameter body: reads one element.
    package mutating func elements(_ body: (inout JSONScanner) throws(Stop) -> Void) throws(Stop) {
        try expect("[", .list)
        if take("]") { return }
        while true {
            try body(&self)
            skipBlanks()
            if take("]") { return }
            try expect(",", .commaOrBracket)
        }
    }

    /// Passes a member's name and its colon when they are here.
    package mutating func takeMember(_ name: StaticString) throws(Stop) -> Bool {
        guard takeName(name) else { return false }
        skipBlanks()
        try expect(":", .colon)
        return true
    }

    /// Ends the scan at a name that should not be here.
    package mutating func refuseName(_ expected: Expectation) throws(Stop) {
        guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
        let start = stop(expected)
        // One that is cut off is not refused yet.
        _ = try string()
        throw start
    }

    /// Reads a text.
    package mutating func text() throws(Stop) -> String {
        guard byte == UInt8(ascii: "\"") else { throw stop(.text) }
        return String(decoding: try string(), as: UTF8.self)
    }

    /// Reads a text or null.
    package mutating func nullableText() throws(Stop) -> String? {
        guard byte == UInt8(ascii: "n") else { return try text() }
        _ = try cell()
        return nil
    }

    package mutating func bool() throws(Stop) -> Bool {
        guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else { throw stop(.bool) }
        let isTrue = byte == UInt8(ascii: "t")
        _ = try cell()
        return isTrue
    }

    /// Reads a number of something.
    package mutating func count() throws(Stop) -> Int {
        let start = stop(.count)
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw start }
        guard case .integer(let value) = try cell(), let count = Int(exactly: value) else { throw start }
        return count
    }

    /// True when a cell of the row that was read is not null.
    package func hasValue(at column: Int) -> Bool {
        switch cells[column] {
        case .missing, .null: false
        case .integer, .real, .text: true
        }
    }
}
