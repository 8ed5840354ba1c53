import Foundation
import JSON

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

    private init() throws(JSONError) {
        buffer = try ByteBuffer(capacity: 16_384)
        buffer.put(UInt8(ascii: "["))
    }

    /// Appends a row. All rows have the same columns.
    private mutating func append(_ row: borrowing StoreRow) throws(JSONError) {
        if !hasRows { try begin(row.columnNames) }
        try buffer.reserve(2)
        if hasRows { buffer.put(UInt8(ascii: ",")) }
        hasRows = true
        buffer.put(UInt8(ascii: "{"))
        for index in members.indices {
            let member = members[index]
            let cell = row.cell(at: member.column)
            try prefixes.withUnsafeBytes { prefixes in
                Result { () throws(JSONError) in
                    try write(cell, after: UnsafeRawBufferPointer(rebasing: prefixes[member.prefix]))
                }
            }.get()
        }
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: "}"))
    }

    /// Closes the array and returns the JSON text.
    private consuming func data() throws(JSONError) -> Data {
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: "]"))
        return buffer.data()
    }

    /// Writes the rows of a query as JSON.
    /// - Parameter query: passes each row to `each`.
    static func json(
        of query: (_ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) throws(StoreError) -> Data {
        var writer: JSONRowWriter
        do throws(JSONError) { writer = try JSONRowWriter() } catch { throw noMemory }
        try rethrowingStoreErrors {
            try query { row in
                do throws(JSONError) { try writer.append(row) } catch { throw noMemory }
                return true
            }
        }
        do throws(JSONError) { return try writer.data() } catch { throw noMemory }
    }

    /// The only error of a buffer, since a row has no value that JSON cannot represent.
    private static let noMemory = StoreError(
        .full, "Out of memory while building the result; read fewer rows at a time.")

    /// Escapes the member names once, at the first row.
    private mutating func begin(_ columnNames: [String]) throws(JSONError) {
        // Of columns with the same name the last one wins, as when filling a dictionary.
        // Compared bytewise: equal Swift strings may be different names in SQL.
        let names = columnNames.map { Array($0.utf8) }
        var last: [[UInt8]: Int] = [:]
        for (index, name) in names.enumerated() { last[name] = index }
        for (index, name) in columnNames.enumerated() where last[names[index]] == index {
            var writer = try ByteBuffer(capacity: name.utf8.count + 4)
            if !members.isEmpty { writer.put(UInt8(ascii: ",")) }
            try JSONStringWriter.write(name, to: &writer)
            try writer.append(":")
            let start = prefixes.count
            prefixes += writer.data()
            members.append(Member(column: index, prefix: start..<prefixes.count))
        }
    }

    @inline(__always)
    private mutating func write(_ cell: StoreCell, after prefix: UnsafeRawBufferPointer) throws(JSONError) {
        switch cell.kind {
        case .text: try buffer.append(prefix, .text(cell.bytes.assumingMemoryBound(to: UInt8.self)))
        case .integer: try buffer.append(prefix, .integer(Int64(bitPattern: cell.bits)))
        case .real: try buffer.append(prefix, .real(Double(bitPattern: cell.bits)))
        case .null: try buffer.append(prefix, .null)
        case .blob:
            try buffer.append(prefix)
            try buffer.append("\"\(Data(cell.bytes).base64EncodedString())\"")
        }
    }
}
