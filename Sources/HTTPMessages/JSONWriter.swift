public import Foundation

extension JSONValue {
    /// Encodes the value as compact JSON in UTF-8, with members sorted by name.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) for infinity, NaN, and nesting beyond 100 levels.
    public func data() throws(HTTPMessageError) -> Data {
        var writer = JSONWriter(invalidValues: .fail)
        try writer.write(self)
        return Data(writer.bytes)
    }
}

/// Writer of compact JSON with sorted members.
struct JSONWriter {
    /// Handling of values that JSON cannot represent: throw an error, or write `null`.
    enum InvalidValuePolicy { case fail, null }

    let invalidValues: InvalidValuePolicy
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(invalidValues: InvalidValuePolicy) { self.invalidValues = invalidValues }

    mutating func write(_ value: JSONValue) throws(HTTPMessageError) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(String(value))
        case .number(let value):
            guard value.isFinite else {
                return try reject("Cannot encode infinity or NaN as JSON; replace the number.")
            }
            append(value.description)
        case .string(let value): write(value)
        case .array(let elements):
            guard depth < JSONParser.maximumDepth else { return try rejectDepth() }
            depth += 1
            defer { depth -= 1 }
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                try write(element)
            }
            append("]")
        case .object(let members):
            guard depth < JSONParser.maximumDepth else { return try rejectDepth() }
            depth += 1
            defer { depth -= 1 }
            append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                write(member.key)
                append(":")
                try write(member.value)
            }
            append("}")
        }
    }

    private mutating func write(_ text: String) {
        append("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                append("\\u00" + (hex.utf8.count == 1 ? "0" : "") + hex)
            default: bytes.append(byte)
            }
        }
        append("\"")
    }

    private mutating func rejectDepth() throws(HTTPMessageError) {
        try reject("JSON nested more than \(JSONParser.maximumDepth) levels deep; flatten the value.")
    }

    private mutating func reject(_ reason: String) throws(HTTPMessageError) {
        guard invalidValues == .null else { throw HTTPMessageError(.invalidJSON, reason) }
        append("null")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
