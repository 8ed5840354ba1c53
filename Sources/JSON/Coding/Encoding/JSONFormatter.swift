import Foundation

/// Writes a JSON text again in another layout: sorted, pretty, without the earlier ones of duplicate members.
struct JSONFormatter: ~Copyable {
    private let tape: JSONTape
    private let format: JSONCoding.Format
    private var output: ByteBuffer

    /// - Parameter text: a valid JSON text.
    init(_ text: Data, _ format: JSONCoding.Format) throws {
        let tape = try JSONTape(text, coding: JSONCoding { $0.maximumDepth = .max })
        output = try ByteBuffer(capacity: text.count + text.count / 4 + 64)
        self.tape = tape
        self.format = format
    }

    /// Returns the text.
    consuming func data() throws -> Data {
        try write(JSONTape.root, indentation: 0)
        return output.takeCompactData()
    }

    /// Recursive; the encoder limits the nesting.
    private mutating func write(_ index: Int, indentation: Int) throws(JSONError) {
        let entry = tape.entries[index]
        switch entry.kind {
        case .null: try output.append("null")
        case .true: try output.append("true")
        case .false: try output.append("false")
        case .integer, .unsigned, .real, .number: try output.append(UnsafeRawBufferPointer(tape.number(at: index)))
        case .string, .escapedString: try writeString(entry)
        case .array:
            try open("[", indentation, isEmpty: entry.count == 0)
            var next = index + 2
            while next < entry.end {
                if next > index + 2 { try separate(indentation) }
                try write(next, indentation: indentation + 1)
                next = tape.next(after: next)
            }
            try close("]", indentation)
        case .object:
            try open("{", indentation, isEmpty: entry.count == 0)
            for (number, key) in keys(of: index).enumerated() {
                if number > 0 { try separate(indentation) }
                try writeString(tape.entries[key.name])
                try output.append(format.contains(.pretty) ? " : " : ":")
                try write(key.value, indentation: indentation + 1)
            }
            try close("}", indentation)
        }
    }

    /// The members of an object: of the same name the last value, at the place of the first one.
    private func keys(of object: Int) -> [(name: Int, value: Int)] {
        var keys: [(name: Int, value: Int)] = []
        keys.reserveCapacity(tape.entries[object].count)
        var index = object + 2
        while index < tape.entries[object].end {
            keys.append((index, index + 1))
            index = tape.next(after: index + 1)
        }
        if tape.prepare(object) == 0, !keys.isEmpty { keys = lastValues(keys) }
        if format.contains(.sortedKeys) {
            // Stable for equal names, of which there is one.
            keys.sort { left, right in
                let (left, right) = (tape.entries[left.name], tape.entries[right.name])
                guard left.kind == .string, right.kind == .string else {
                    return tape.string(of: left).utf8.lexicographicallyPrecedes(tape.string(of: right).utf8)
                }
                let (a, b) = (tape.bytes(of: left), tape.bytes(of: right))
                let order = memcmp(a.baseAddress!, b.baseAddress!, min(a.count, b.count))
                return order == 0 ? a.count < b.count : order < 0
            }
        }
        return keys
    }

    private func lastValues(_ keys: [(name: Int, value: Int)]) -> [(name: Int, value: Int)] {
        var places: [String: Int] = [:]
        var result: [(name: Int, value: Int)] = []
        for key in keys {
            let name = tape.string(of: tape.entries[key.name])
            if let place = places[name] {
                result[place].value = key.value
            } else {
                places[name] = result.count
                result.append(key)
            }
        }
        return result
    }

    private mutating func writeString(_ entry: TapeEntry) throws(JSONError) {
        try output.append("\"")
        let bytes = UnsafeRawBufferPointer(tape.bytes(of: entry))
        if format.contains(.escapedSlashes) {
            // An escaped slash is not in the text: the encoder writes none.
            for byte in bytes {
                try output.reserve(2)
                if byte == UInt8(ascii: "/") { output.put(UInt8(ascii: "\\")) }
                output.put(byte)
            }
        } else {
            try output.append(bytes)
        }
        try output.append("\"")
    }

    // MARK: Layout, as Foundation's

    private mutating func open(_ bracket: String, _ indentation: Int, isEmpty: Bool) throws(JSONError) {
        try output.append(bracket)
        // An empty line between empty brackets.
        try breakLine(isEmpty ? 0 : indentation + 1)
    }

    private mutating func separate(_ indentation: Int) throws(JSONError) {
        try output.append(",")
        try breakLine(indentation + 1)
    }

    private mutating func close(_ bracket: String, _ indentation: Int) throws(JSONError) {
        try breakLine(indentation)
        try output.append(bracket)
    }

    private mutating func breakLine(_ indentation: Int) throws(JSONError) {
        guard format.contains(.pretty) else { return }
        try output.reserve(1 + 2 * indentation)
        output.put(UInt8(ascii: "\n"))
        for _ in 0..<2 * indentation { output.put(UInt8(ascii: " ")) }
    }
}
