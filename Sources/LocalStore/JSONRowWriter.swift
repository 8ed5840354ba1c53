import Foundation

/// Writes rows as a JSON array of objects, straight from their cells.
///
/// The rules are those of ``LocalStore/queryJSON(_:_:)``.
struct JSONRowWriter: ~Copyable {
    private var buffer: ByteBuffer
    private var members: [Member] = []
    private var names: [String]?
    private var isFirst = true

    /// A member of each object: its column, and what stands before its value, such as `,"id":`.
    private struct Member {
        let column: Int
        let prefix: [UInt8]
    }

    init() throws(StoreError) {
        buffer = try ByteBuffer(capacity: 16_384)
        buffer.put(UInt8(ascii: "["))
    }

    /// Adds a row.
    mutating func append(_ row: borrowing StoreRow) throws(StoreError) {
        if names == nil { try begin(row.columnNames) }
        try buffer.reserve(2)
        if isFirst { isFirst = false } else { buffer.put(UInt8(ascii: ",")) }
        buffer.put(UInt8(ascii: "{"))
        for index in members.indices {
            try write(prefix: members[index].prefix)
            try write(row.cell(at: members[index].column))
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

    /// Makes the members' names, once.
    private mutating func begin(_ columnNames: [String]) throws(StoreError) {
        names = columnNames
        // Of two columns with one name the last one counts, as when a dictionary is filled.
        var last: [String: Int] = [:]
        for (index, name) in columnNames.enumerated() { last[name] = index }
        for (index, name) in columnNames.enumerated() where last[name] == index {
            var writer = try ByteBuffer(capacity: name.utf8.count + 4)
            if !members.isEmpty { writer.put(UInt8(ascii: ",")) }
            var name = name
            try name.withUTF8 { bytes in
                Result { () throws(StoreError) in
                    try JSONStringWriter.write(UnsafeRawBufferPointer(bytes), to: &writer)
                }
            }.get()
            try writer.append(":")
            members.append(Member(column: index, prefix: [UInt8](writer.data())))
        }
    }

    @inline(__always)
    private mutating func write(prefix: [UInt8]) throws(StoreError) {
        try buffer.reserve(prefix.count)
        prefix.withUnsafeBytes { buffer.put($0) }
    }

    @inline(__always)
    private mutating func write(_ cell: StoreCell) throws(StoreError) {
        switch cell.kind {
        case .text: try JSONStringWriter.write(cell.bytes, to: &buffer)
        case .integer: try write(Int64(bitPattern: cell.bits))
        case .real: try write(Double(bitPattern: cell.bits))
        case .null: try buffer.append("null")
        case .blob: try buffer.append("\"\(Data(cell.bytes).base64EncodedString())\"")
        }
    }

    private mutating func write(_ number: Int64) throws(StoreError) {
        try buffer.reserve(20)
        if number < 0 { buffer.put(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var divisor: UInt64 = 1
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }

    private mutating func write(_ number: Double) throws(StoreError) {
        // Swift's text of a finite number is its shortest exact one, and is JSON.
        try buffer.append(number.isFinite ? number.description : "null")
    }
}
