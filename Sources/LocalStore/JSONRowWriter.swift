import Foundation

/// Writes rows as a JSON array of objects, straight from their cells.
///
/// The rules are those of ``LocalStore/queryJSON(_:_:)``.
struct JSONRowWriter: ~Copyable {
    private var buffer: ByteBuffer
    private var members: [Member] = []
    /// What stands before the values, such as `,"id":`, one behind the other.
    private var prefixes: [UInt8] = []
    private var hasRows = false

    /// A member of each object: its column, and where its prefix is.
    private struct Member {
        let column: Int
        let prefix: Range<Int>
    }

    init() throws(StoreError) {
        buffer = try ByteBuffer(capacity: 16_384)
        buffer.put(UInt8(ascii: "["))
    }

    /// Adds a row. All have the same columns.
    mutating func append(_ row: borrowing StoreRow) throws(StoreError) {
        if !hasRows { try begin(row.columnNames) }
        try buffer.reserve(2)
        if hasRows { buffer.put(UInt8(ascii: ",")) }
        hasRows = true
        buffer.put(UInt8(ascii: "{"))
        for index in members.indices {
            let member = members[index]
            try buffer.reserve(member.prefix.count + 24)
            prefixes.withUnsafeBytes { buffer.put(UnsafeRawBufferPointer(rebasing: $0[member.prefix])) }
            try write(row.cell(at: member.column))
        }
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: "}"))
    }

    /// The JSON text.
    consuming func data() throws(StoreError) -> Data {
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: "]"))
        return buffer.data()
    }

    /// The rows of a query as JSON.
    /// - Parameter query: hands over its rows.
    static func json(
        of query: (_ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) throws(StoreError) -> Data {
        var writer = try JSONRowWriter()
        try narrowed {
            try query { row in
                try writer.append(row)
                return true
            }
        }
        return try writer.data()
    }

    /// Makes the members' names, once.
    private mutating func begin(_ columnNames: [String]) throws(StoreError) {
        // Of two columns with one name the last one counts, as when a dictionary is filled.
        var last: [SQLText: Int] = [:]
        for (index, name) in columnNames.enumerated() { last[SQLText(name)] = index }
        for (index, name) in columnNames.enumerated() where last[SQLText(name)] == index {
            var writer = try ByteBuffer(capacity: name.utf8.count + 4)
            if !members.isEmpty { writer.put(UInt8(ascii: ",")) }
            var name = name
            try name.withUTF8 { bytes in
                Result { () throws(StoreError) in
                    try JSONStringWriter.write(UnsafeRawBufferPointer(bytes), to: &writer)
                }
            }.get()
            try writer.append(":")
            let start = prefixes.count
            prefixes += writer.data()
            members.append(Member(column: index, prefix: start..<prefixes.count))
        }
    }

    @inline(__always)
    private mutating func write(_ cell: StoreCell) throws(StoreError) {
        switch cell.kind {
        case .text: try JSONStringWriter.write(cell.bytes, to: &buffer)
        case .integer: write(Int64(bitPattern: cell.bits))
        case .real: try write(Double(bitPattern: cell.bits))
        case .null: try buffer.append("null")
        case .blob: try buffer.append("\"\(Data(cell.bytes).base64EncodedString())\"")
        }
    }

    /// Room was made for the number.
    @inline(__always)
    private mutating func write(_ number: Int64) {
        if number < 0 { buffer.put(UInt8(ascii: "-")) }
        buffer.put(digitsOf: number.magnitude)
    }

    private mutating func write(_ number: Double) throws(StoreError) {
        // Most are whole and small, and need no search for their shortest text.
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 50, whole != 0 {
            write(whole)
            buffer.put(UInt8(ascii: "."))
            buffer.put(UInt8(ascii: "0"))
        } else {
            // Swift's text of a finite number is its shortest exact one, and is JSON.
            try buffer.append(number.isFinite ? number.description : "null")
        }
    }
}
