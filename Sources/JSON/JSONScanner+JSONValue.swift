extension JSONScanner {
    /// Reads a text that is one value, with white space around it.
    mutating func document() throws(Stop) -> JSONValue {
        skipWhitespace()
        let value = try value(depth: 0)
        skipWhitespace()
        guard isAtEnd else { throw stop(.endOfText) }
        return value
    }

    /// Reads a value and all that it contains.
    private mutating func value(depth: Int) throws(Stop) -> JSONValue {
        guard isAtContainer else {
            switch try scalar() {
            case .null: return .null
            case .bool(let value): return .bool(value)
            case .integer(let value): return .integer(value)
            case .real(let value): return .number(value)
            case .text(let bytes): return .string(String(decoding: bytes, as: UTF8.self))
            }
        }
        guard depth < Self.maximumDepth else { throw stop(.lessNesting) }
        return byte == UInt8(ascii: "{") ? .object(try object(depth: depth)) : .array(try array(depth: depth))
    }

    private mutating func object(depth: Int) throws(Stop) -> [String: JSONValue] {
        // Members are collected first: a dictionary of known size does not rehash its keys while it grows.
        var members: [(String, JSONValue)] = []
        members.reserveCapacity(8)
        try self.members(.object) { (scanner) throws(Stop) in
            let name = String(decoding: try scanner.name(), as: UTF8.self)
            members.append((name, try scanner.value(depth: depth + 1)))
        }
        var object = [String: JSONValue](minimumCapacity: members.count)
        for (name, value) in members { object[name] = value }
        return object
    }

    private mutating func array(depth: Int) throws(Stop) -> [JSONValue] {
        var elements: [JSONValue] = []
        try self.elements { (scanner) throws(Stop) in elements.append(try scanner.value(depth: depth + 1)) }
        return elements
    }
}
