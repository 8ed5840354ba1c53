extension JSONScanner {
    /// Reads an object.
    /// - Parameters:
    ///   - expected: what is expected at its opening brace.
    ///   - body: reads one member, with its name and colon.
    @inline(__always)
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
    @inline(__always)
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

    /// Reads a member name and its colon.
    package mutating func name() throws(Stop) -> UnsafeBufferPointer<UInt8> {
        guard byte == UInt8(ascii: "\"") else { throw stop(.name) }
        let name = try string()
        skipWhitespace()
        try expect(":", .colon)
        return name
    }

    /// Consumes a member name and its colon, if the name is next. It must be ASCII without escapes.
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
        _ = try scalar()
        return nil
    }

    package mutating func bool() throws(Stop) -> Bool {
        guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else { throw stop(.bool) }
        let isTrue = byte == UInt8(ascii: "t")
        _ = try scalar()
        return isTrue
    }
}
