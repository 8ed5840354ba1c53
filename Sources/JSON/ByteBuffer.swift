package import Foundation

/// Growable byte buffer for many small writes; ``data()`` hands its memory to `Data` without a copy.
package struct ByteBuffer: ~Copyable {
    var start: UnsafeMutablePointer<UInt8>
    var capacity: Int
    var count = 0

    /// - Throws: ``JSONError`` (`outOfMemory`); so does every method that reserves capacity.
    package init(capacity: Int = 4096) throws(JSONError) {
        guard let memory = malloc(max(capacity, 64)) else { throw Self.noMemory }
        start = memory.assumingMemoryBound(to: UInt8.self)
        self.capacity = max(capacity, 64)
    }

    deinit {
        if capacity > 0 { free(start) }
    }

    /// Ensures capacity for `more` bytes; the `put` methods require it.
    package mutating func reserve(_ more: Int) throws(JSONError) {
        if capacity - count < more { try grow(more) }
    }

    mutating func grow(_ more: Int) throws(JSONError) {
        let wanted = max(capacity * 2, count + more)
        guard let memory = realloc(capacity > 0 ? start : nil, wanted) else { throw Self.noMemory }
        start = memory.assumingMemoryBound(to: UInt8.self)
        capacity = wanted
    }

    /// Appends a byte. Requires reserved capacity.
    package mutating func put(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    /// Appends bytes. Requires reserved capacity.
    package mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        memcpy(start + count, source, bytes.count)
        count += bytes.count
    }

    /// Appends bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        try reserve(bytes.count)
        put(bytes)
    }

    /// Appends text as UTF-8.
    package mutating func append(_ text: String) throws(JSONError) {
        var text = text
        try reserve(text.utf8.count)
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Transfers the bytes to a `Data` without a copy.
    package consuming func data() -> Data { takeData() }

    /// Transfers the bytes to a `Data` without a copy, and is empty then.
    mutating func takeData() -> Data {
        guard capacity > 0 else { return Data() }
        defer { (capacity, count) = (0, 0) }
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    private static let noMemory = JSONError(.outOfMemory, "Out of memory while writing JSON; write less at a time.")
}
