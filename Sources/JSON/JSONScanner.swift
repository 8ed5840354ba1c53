package import Foundation

/// Strict JSON scanner (RFC 8259) over UTF-8 bytes: the one reader of JSON, for values and for streamed rows.
///
/// Its unsafe pointers are sound because:
///
/// - The bytes are in one buffer that does not change while a scanner exists. At least ``padding`` zero bytes follow
///   the last one, and `end` points to the first of them. JSON has no raw zero byte, and every loop checks that a byte
///   is not zero before it advances, so it stops at `end` at the latest. A zero before `end` is a syntax error.
/// - Eight-byte loads start at `end` or before, so they read at most seven bytes beyond it, within the padding.
/// - The scratch buffer is as long as the input. Each byte written there consumes at least one input byte, and no input
///   byte is consumed twice, so it cannot overflow.
/// - A returned text points into one of the two buffers. It is valid until the next ``commit()``.
///
/// Package functions are not inlined into other modules. So all loops over bytes and cells are in this one: a row, a
/// value, a name is one call.
package struct JSONScanner {
    /// Number of zero bytes after the input.
    package static let padding = 8
    /// Maximum nesting of lists and objects. A thread with a 512 KiB stack can parse, write, compare and pass such a
    /// value to Foundation's encoder, also in a debug build.
    package static let maximumDepth = 100

    /// End of the fully processed bytes. Bytes after it are scanned again if the item turns out to be incomplete.
    package private(set) var committedOffset: Int

    let base: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var position: UnsafePointer<UInt8>
    /// The free part of the scratch buffer.
    var scratch: UnsafeMutablePointer<UInt8>
    private let scratchStart: UnsafeMutablePointer<UInt8>
    /// True when more bytes of a stream may follow.
    let isPartial: Bool
    private let maximumLength: Int
    /// True to read a number with digits that a `Double` does not hold as text, so that none is lost; default false.
    package var keepsLongNumbers = false

    /// Creates a scanner; nil when the padding or the scratch buffer is too small.
    /// - Parameters:
    ///   - bytes: the input with its padding.
    ///   - offset: where to start.
    ///   - scratch: at least as long as `bytes`.
    ///   - isPartial: true when more bytes may follow, so that a number at the end is incomplete.
    ///   - maximumLength: maximum bytes from one ``commit()`` to the next.
    package init?(
        _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0, scratch: UnsafeMutableBufferPointer<UInt8>,
        isPartial: Bool = false, maximumLength: Int = .max
    ) {
        let count = bytes.count - Self.padding
        guard let base = bytes.baseAddress, let room = scratch.baseAddress, scratch.count >= bytes.count, offset >= 0,
            offset <= count, bytes[count...].allSatisfy({ $0 == 0 })
        else { return nil }
        self.init(base, count, from: offset, scratch: room, isPartial: isPartial, maximumLength: maximumLength)
    }

    /// Requires `padding` zero bytes after `count` ones, and scratch memory for all of them; without scratch memory,
    /// ``string()`` must not be called, nor what calls it.
    init(
        _ base: UnsafePointer<UInt8>, _ count: Int, from offset: Int, scratch: UnsafeMutablePointer<UInt8>,
        isPartial: Bool = false, maximumLength: Int = .max
    ) {
        self.base = base
        self.end = base + count
        self.position = base + offset
        self.scratchStart = scratch
        self.scratch = scratch
        self.isPartial = isPartial
        self.committedOffset = offset
        self.maximumLength = maximumLength
    }

    /// Calls `body` with a scanner over a padded copy of the bytes.
    package static func scan<Result>(
        _ data: Data, _ body: (inout JSONScanner) throws(Stop) -> Result
    ) throws(Stop) -> Result {
        let count = data.count + padding
        return try withUnsafeTemporaryAllocation(byteCount: 2 * count, alignment: 8) { memory throws(Stop) in
            let start = memory.bindMemory(to: UInt8.self).baseAddress.unsafelyUnwrapped
            data.copyBytes(to: start, count: data.count)
            (start + data.count).initialize(repeating: 0, count: padding)
            var scanner = JSONScanner(
                start, data.count, from: 0, scratch: start + count, isPartial: false, maximumLength: .max)
            return try body(&scanner)
        }
    }

    /// Marks the bytes up to the position as processed.
    package mutating func commit() throws(Stop) {
        guard offset - committedOffset <= maximumLength else {
            throw Stop(offset: committedOffset, expected: .shorterItem)
        }
        committedOffset = offset
        scratch = scratchStart
    }

    /// Skips white space and marks it as processed.
    package mutating func commitWhitespace() {
        skipWhitespace()
        committedOffset = offset
    }

    /// Offset of the position in the buffer.
    package var offset: Int { position - base }

    /// True at the end of the input.
    package var isAtEnd: Bool { position == end }

    /// The byte at the position; zero at the end.
    package var byte: UInt8 { position.pointee }

    /// Creates the error for an unmet expectation at the position.
    package func stop(_ expected: Expectation) -> Stop { Stop(offset: offset, expected: expected) }

    package mutating func skipWhitespace() {
        while byte.isJSONWhitespace { position += 1 }
    }

    /// Consumes a character if it is next. It must not be zero.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Consumes a required character and the white space after it.
    package mutating func expect(_ character: Unicode.Scalar, _ expected: Expectation) throws(Stop) {
        guard take(character) else { throw stop(expected) }
        skipWhitespace()
    }

    /// Consumes a quote followed by these bytes, if they are next.
    package mutating func takeQuoted(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // The compared bytes end within the input.
        guard byte == UInt8(ascii: "\""), let start = bytes.baseAddress, end - position > bytes.count,
            memcmp(position + 1, start, bytes.count) == 0
        else { return false }
        position += 1 + bytes.count
        return true
    }

    /// Consumes a quoted name if it is next. It must be ASCII without escapes.
    package mutating func takeName(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        guard byte == UInt8(ascii: "\""), end - position > count + 1,
            memcmp(position + 1, name.utf8Start, count) == 0, position[count + 1] == UInt8(ascii: "\"")
        else { return false }
        position += count + 2
        return true
    }
}
