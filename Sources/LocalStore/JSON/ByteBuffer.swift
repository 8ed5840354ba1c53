import Foundation

/// Growable byte buffer for many small writes; ``data()`` hands its memory to `Data` without a copy.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    /// - Throws: `StoreError` (`full`) when memory cannot be allocated; so does every method that adds bytes.
    init(capacity: Int = 4096) throws(StoreError) {
        guard let memory = malloc(max(capacity, 64)) else { throw Self.noMemory }
        start = memory.assumingMemoryBound(to: UInt8.self)
        self.capacity = max(capacity, 64)
    }

    deinit { free(start) }

    /// Ensures capacity for `more` bytes; the `put` methods require it.
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

    /// Appends a byte. Requires reserved capacity.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    /// Appends bytes. Requires reserved capacity.
    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        memcpy(start + count, source, bytes.count)
        count += bytes.count
    }

    /// Appends a number in decimal. Requires 20 bytes of reserved capacity.
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

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try reserve(bytes.count)
        put(bytes)
    }

    /// Appends text as UTF-8.
    mutating func append(_ text: String) throws(StoreError) {
        var text = text
        try reserve(text.utf8.count)
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Transfers the bytes to a `Data` without a copy.
    consuming func data() -> Data {
        let (start, count) = (start, count)
        discard self
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    private static let noMemory = StoreError(
        .full, "Out of memory while building the result; read fewer rows at a time.")
}
