import Foundation
package import JSON

/// Input buffer of a ``JSONScanner``: collects chunks and rescans an incomplete item once enough bytes are there.
package struct ScanBuffer: Sendable {
    /// The unprocessed bytes start at `start`; the scanner's zero padding follows them.
    private var bytes = [UInt8](repeating: 0, count: JSONScanner.padding)
    private var scratch: [UInt8] = []
    private var start = 0
    /// Offset of `bytes` in the stream.
    private var streamOffset = 0
    /// True after the last chunk.
    package private(set) var isFinished = false
    /// Number of bytes needed before an incomplete item is scanned again. It grows by a quarter each time, so that tiny
    /// chunks do not cause quadratic work.
    private var minimumCount = 0
    private let maximumLength: Int
    private let keepsLongNumbers: Bool

    /// - Parameters:
    ///   - maximumLength: maximum bytes of an item.
    ///   - keepsLongNumbers: see ``JSONScanner/keepsLongNumbers``.
    ///   - streamOffset: offset of the first chunk in the stream, for errors.
    package init(maximumLength: Int, keepsLongNumbers: Bool = false, streamOffset: Int = 0) {
        self.maximumLength = maximumLength
        self.keepsLongNumbers = keepsLongNumbers
        self.streamOffset = streamOffset
    }

    /// Offset of the first unprocessed byte in the stream.
    package var position: Int { streamOffset + start }

    /// The bytes that have not been processed.
    package var unprocessed: ArraySlice<UInt8> { bytes[start..<bytes.count - JSONScanner.padding] }

    /// Appends the next chunk of the stream.
    package mutating func push(_ chunk: some Collection<UInt8>) {
        guard !isFinished, !chunk.isEmpty else { return }
        bytes.removeLast(JSONScanner.padding)
        if start > 0 {
            bytes.removeSubrange(..<start)
            streamOffset += start
            start = 0
        }
        bytes.append(contentsOf: chunk)
        bytes.append(contentsOf: repeatElement(0, count: JSONScanner.padding))
        if scratch.count < bytes.count { scratch = [UInt8](repeating: 0, count: max(bytes.count, 2 * scratch.count)) }
    }

    /// Marks the end of the stream.
    package mutating func finish() {
        isFinished = true
        minimumCount = 0
    }

    /// Scans the buffered bytes.
    /// - Parameters:
    ///   - state: state of `body`, which must change it only together with a commit, since it may run again.
    ///   - cellCount: number of cells of the widest row.
    ///   - body: scans any number of items into the cells, and commits each complete one.
    /// - Returns: the result of `body`; nil when more bytes are needed.
    /// - Throws: ``DeltaError`` for invalid bytes.
    package mutating func scan<State, Result>(
        _ state: inout State, cellCount: Int,
        _ body: (inout JSONScanner, ScannedCells, inout State) throws(JSONScanner.Stop) -> Result
    ) throws(DeltaError) -> Result? {
        let count = bytes.count - JSONScanner.padding
        guard isFinished || count - start >= minimumCount, count > start || isFinished else { return nil }
        if scratch.count < bytes.count { scratch = [UInt8](repeating: 0, count: bytes.count) }
        var end = (committedOffset: start, offset: start)
        var result: Result?
        var stop: JSONScanner.Stop?
        let (start, maximumLength, keepsLongNumbers) = (start, maximumLength, keepsLongNumbers)
        scratch.withUnsafeMutableBufferPointer { scratch in
            bytes.withUnsafeBufferPointer { bytes in
                withUnsafeTemporaryAllocation(of: JSONScanner.Scalar?.self, capacity: cellCount) { cells in
                    guard
                        var scanner = JSONScanner(
                            bytes, from: start, scratch: scratch, isPartial: true, maximumLength: maximumLength)
                    else { return }
                    scanner.keepsLongNumbers = keepsLongNumbers
                    do throws(JSONScanner.Stop) {
                        result = try body(&scanner, ScannedCells(cells), &state)
                    } catch {
                        stop = error
                    }
                    end = (scanner.committedOffset, scanner.offset)
                }
            }
        }
        self.start = end.committedOffset
        guard let stop else {
            minimumCount = 0
            return result
        }
        guard end.offset - end.committedOffset <= maximumLength else {
            let offset = streamOffset + end.committedOffset
            throw DeltaError(
                .rowTooLarge, "Row too large at byte \(offset): more than \(maximumLength) bytes; raise the limit.",
                offset: offset)
        }
        guard stop.offset == count else {
            throw DeltaError(stop: stop, at: streamOffset + stop.offset, name: name(at: stop))
        }
        guard !isFinished else { throw DeltaError(truncatedAt: streamOffset + count, expected: stop.expected) }
        minimumCount = (count - end.committedOffset) + (count - end.committedOffset) / 4 + 1
        return nil
    }

    /// The name at which a scanner stopped, or its start with an ellipsis; nil if there is none.
    private func name(at stop: JSONScanner.Stop) -> String? {
        guard stop.expected.isOfName, bytes[stop.offset] == UInt8(ascii: "\"") else { return nil }
        var end = stop.offset + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let text = bytes[stop.offset..<min(end + 1, bytes.count)]
        guard let name = (try? JSONValue(parsing: Data(text)))?.string else { return nil }
        let start = String(String.UnicodeScalarView(name.unicodeScalars.prefix(80)))
        return start == name ? name : start + "…"
    }
}
