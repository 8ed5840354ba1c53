import Foundation

/// Writer of compact JSON with sorted members.
struct JSONWriter: ~Copyable {
    /// Handling of values that JSON cannot represent: throw an error, or write `null`.
    enum InvalidValuePolicy { case fail, null }

    private let invalidValues: InvalidValuePolicy
    private var buffer: ByteBuffer
    private var depth = 0

    private init(invalidValues: InvalidValuePolicy) throws(JSONError) {
        self.invalidValues = invalidValues
        buffer = try ByteBuffer(capacity: 256)
    }

    /// Returns the value as JSON in UTF-8.
    static func data(of value: JSONValue, invalidValues: InvalidValuePolicy) throws(JSONError) -> Data {
        var writer = try JSONWriter(invalidValues: invalidValues)
        try writer.write(value)
        return writer.buffer.data()
    }

    private mutating func write(_ value: JSONValue) throws(JSONError) {
        switch value {
        case .null: try buffer.append("null")
        case .bool(let value): try buffer.append(value ? "true" : "false")
        case .integer(let value):
            try buffer.reserve(20)
            buffer.put(decimal: value)
        case .number(let value):
            guard value.isFinite else {
                return try reject("Cannot encode infinity or NaN as JSON; replace the number.")
            }
            try buffer.append(finite: value)
        case .string(let value): try JSONStringWriter.write(value, to: &buffer)
        case .array(let elements):
            guard depth < JSONScanner.maximumDepth else { return try rejectDepth() }
            depth += 1
            defer { depth -= 1 }
            try buffer.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { try buffer.append(",") }
                try write(element)
            }
            try buffer.append("]")
        case .object(let members):
            guard depth < JSONScanner.maximumDepth else { return try rejectDepth() }
            depth += 1
            defer { depth -= 1 }
            try buffer.append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { try buffer.append(",") }
                try JSONStringWriter.write(member.key, to: &buffer)
                try buffer.append(":")
                try write(member.value)
            }
            try buffer.append("}")
        }
    }

    private mutating func rejectDepth() throws(JSONError) {
        try reject("JSON nested more than \(JSONScanner.maximumDepth) levels deep; flatten the value.")
    }

    private mutating func reject(_ reason: String) throws(JSONError) {
        guard invalidValues == .null else { throw JSONError(.invalidValue, reason) }
        try buffer.append("null")
    }
}
