import Foundation

/// Writes rows as a JSON array of objects, directly from their cells; see ``LocalStore/queryJSON(_:_:)``.
struct JSONRowWriter: ~Copyable {
    private var buffer: ByteBuffer
    private var members: [Member] = []
    /// The bytes before each value, such as `,"id":`, concatenated.
    private var prefixes: [UInt8] = []
    private var hasRows = false

    /// A member of each object: its column and its range in `prefixes`.
    private struct Member {
        let column: Int
        let prefix: Range<Int>
    }

    init() throws(StoreError) {
        buffer = try ByteBuffer(capacity: 16_384)
        buffer.put(UInt8(ascii: "["))
    }

    /// Appends a row. All rows have the same columns.
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

    /// Closes the array and returns the JSON text.
    consuming func data() throws(StoreError) -> Data {
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: "]"))
        return buffer.data()
    }

    /// Writes the rows of a query as JSON.
    /// - Parameter query: passes each row to `each`.
    static func json(
        of query: (_ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) throws(StoreError) -> Data {
        var writer = try JSONRowWriter()
        try rethrowingStoreErrors {
            try query { row in
                try writer.append(row)
                return true
            }
        }
        return try writer.data()
    }

    /// Escapes the member names once, at the first row.
    private mutating func begin(_ columnNames: [String]) throws(StoreError) {
        // Of columns with the same name the last one wins, as when filling a dictionary.
        // Compared bytewise: equal Swift strings may be different names in SQL.
        let names = columnNames.map { Array($0.utf8) }
        var last: [[UInt8]: Int] = [:]
        for (index, name) in names.enumerated() { last[name] = index }
        for (index, name) in columnNames.enumerated() where last[names[index]] == index {
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

    /// Requires reserved capacity: 21 bytes.
    @inline(__always)
    private mutating func write(_ number: Int64) {
        if number < 0 { buffer.put(UInt8(ascii: "-")) }
        buffer.put(digitsOf: number.magnitude)
    }

    private mutating func write(_ number: Double) throws(StoreError) {
        // Fast path: small whole numbers need no shortest-text search.
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 50, whole != 0 {
            write(whole)
            buffer.put(UInt8(ascii: "."))
            buffer.put(UInt8(ascii: "0"))
        } else {
            // Swift's description of a finite number is the shortest that round-trips, and is valid JSON.
            try buffer.append(number.isFinite ? number.description : "null")
        }
    }
}
