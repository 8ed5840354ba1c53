import LocalStore

extension JSONScanner {
    /// Reads an object with known member names, which must be written without escapes.
    /// - Parameter body: reads one member.
    package mutating func members(
        _ expected: Expectation, _ body: (inout JSONScanner) throws(Stop) -> Void
    ) throws(Stop) {
        try expect("{", expected)
        if take("}") { return }
        while true {
            try body(&self)
            skipWhitespace()
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
            skipWhitespace()
            if take("]") { return }
            try expect(",", .commaOrBracket)
        }
    }

    /// Consumes a member name and its colon, if the name is next.
    package mutating func takeMember(_ name: StaticString) throws(Stop) -> Bool {
        guard takeName(name) else { return false }
        skipWhitespace()
        try expect(":", .colon)
        return true
    }

    /// Throws at an unexpected member name.
    package mutating func failUnknownName(_ expected: Expectation) throws(Stop) {
        guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
        let start = stop(expected)
        // Reads the whole name first: a truncated one needs more bytes instead.
        _ = try string()
        throw start
    }

    /// Reads a string.
    package mutating func text() throws(Stop) -> String {
        guard byte == UInt8(ascii: "\"") else { throw stop(.text) }
        return String(decoding: try string(), as: UTF8.self)
    }

    /// Reads a string or null.
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

    /// Reads a nonnegative integer.
    package mutating func count() throws(Stop) -> Int {
        let start = stop(.count)
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw start }
        guard case .integer(let value) = try cell(), let count = Int(exactly: value) else { throw start }
        return count
    }

    /// True when a cell of the current row is present and not null.
    package func hasValue(at column: Int) -> Bool {
        switch cells[column] {
        case .missing, .null: false
        case .integer, .real, .text: true
        }
    }
}
