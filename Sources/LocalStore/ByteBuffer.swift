import Foundation

/// Bytes that are being written, for those who write many small pieces. Its memory becomes the `Data` that is made of
/// it, without a copy.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    /// - Throws: `StoreError` (`full`) when there is no memory; so does whatever adds bytes.
    init(capacity: Int = 4096) throws(StoreError) {
        guard let memory = malloc(max(capacity, 64)) else { throw Self.noMemory }
        start = memory.assumingMemoryBound(to: UInt8.self)
        self.capacity = max(capacity, 64)
    }

    deinit { free(start) }

    /// Makes room for some more bytes, which may then be put.
    @inline(__always)
    mutating func reserve(_ more: Int) throws(StoreError) {
        if capacity - count < more { try grow(more) }
    }

    private mutating func grow(_ more: Int) throws(StoreError) {
        let wanted = max(capacity * 2, count + more)
        guard let memory = realloc(start, wanted) else { throw Self.noMemory }
        start = memory.assumingMemoryBound(to: UInt8.self)
        capacity = wanted
    }

    /// Adds a byte, for which room was made.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    /// Adds bytes, for which room was made.
    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        memcpy(start + count, source, bytes.count)
        count += bytes.count
    }

    /// Adds the digits of a number, for which room was made: 20 bytes.
    mutating func put(digitsOf number: UInt64) {
        var length = 1
        var bound: UInt64 = 10
        while length < 20, number >= bound {
            length += 1
            bound = length < 20 ? bound &* 10 : .max
        }
        var rest = number
        var place = count + length
        count = place
        repeat {
            place -= 1
            let next = rest / 10
            start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- next &* 10)
            rest = next
        } while rest > 0
    }

    /// Adds bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try reserve(bytes.count)
        put(bytes)
    }

    /// Adds text.
    mutating func append(_ text: String) throws(StoreError) {
        var text = text
        try reserve(text.utf8.count)
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// The bytes, in the same memory.
    consuming func data() -> Data {
        let (start, count) = (start, count)
        discard self
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    private static let noMemory = StoreError(.full, "There is no memory for the answer.")
}
