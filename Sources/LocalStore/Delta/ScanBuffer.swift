import Foundation

/// Keeps the bytes of a stream from when they come until they have been read, however they were cut.
package struct ScanBuffer: Sendable {
    /// The bytes that count start at `start`; behind them stand the zeros of a scanner's padding.
    private var bytes = [UInt8](repeating: 0, count: JSONScanner.padding)
    private var scratch: [UInt8] = []
    private var start = 0
    /// Where in the stream the first of `bytes` is.
    private var streamOffset = 0
    /// True when nothing more will come.
    package private(set) var isFinished = false
    /// How many bytes there must be to read what is cut off once more. It grows with them, so that a stream of tiny
    /// pieces is not read again for each one.
    private var leastCount = 0
    private let maximumLength: Int

    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// Adds the next piece of the stream.
    package mutating func push(_ piece: some Collection<UInt8>) {
        guard !isFinished, !piece.isEmpty else { return }
        bytes.removeLast(JSONScanner.padding)
        if start > 0 {
            bytes.removeSubrange(..<start)
            streamOffset += start
            start = 0
        }
        bytes.append(contentsOf: piece)
        bytes.append(contentsOf: repeatElement(0, count: JSONScanner.padding))
        if scratch.count < bytes.count { scratch = [UInt8](repeating: 0, count: max(bytes.count, 2 * scratch.count)) }
    }

    /// Says that nothing more will come.
    package mutating func finish() {
        isFinished = true
        leastCount = 0
    }

    /// Reads on.
    /// - Parameters:
    ///   - state: what `body` changes besides; it must change it only together with a commit.
    ///   - cellCount: for how many cells the scanner needs room.
    ///   - body: reads as far as it likes, and commits whatever it read to its end.
    /// - Returns: what `body` returned; nil when more bytes are needed first.
    /// - Throws: ``DeltaError``: what the bytes fail at.
    package mutating func scan<State, Result>(
        _ state: inout State, cellCount: Int,
        _ body: (inout JSONScanner, inout State) throws(JSONScanner.Stop) -> Result
    ) throws(DeltaError) -> Result? {
        let count = bytes.count - JSONScanner.padding
        guard isFinished || count - start >= leastCount, count > start || isFinished else { return nil }
        if scratch.count < bytes.count { scratch = [UInt8](repeating: 0, count: bytes.count) }
        var end = (mark: start, offset: start)
        var result: Result?
        var stop: JSONScanner.Stop?
        let (start, maximumLength) = (start, maximumLength)
        scratch.withUnsafeMutableBufferPointer { scratch in
            bytes.withUnsafeBufferPointer { bytes in
                withUnsafeTemporaryAllocation(of: JSONScanner.Cell.self, capacity: cellCount) { cells in
                    cells.initialize(repeating: .missing)
                    guard
                        var scanner = JSONScanner(
                            bytes, from: start, scratch: scratch, cells: cells, maximumLength: maximumLength)
                    else { return }
                    do throws(JSONScanner.Stop) {
                        result = try body(&scanner, &state)
                    } catch {
                        stop = error
                    }
                    end = (scanner.mark, scanner.offset)
                }
            }
        }
        self.start = end.mark
        guard let stop else {
            leastCount = 0
            return result
        }
        guard end.offset - end.mark <= maximumLength else {
            throw DeltaError(stop: .init(offset: end.mark, expected: .shorterRow), at: streamOffset + end.mark)
        }
        guard stop.offset == count, stop.expected != .shorterRow else {
            throw DeltaError(stop: stop, at: streamOffset + stop.offset)
        }
        guard !isFinished else { throw DeltaError(truncatedAt: streamOffset + count, expected: stop.expected) }
        leastCount = (count - end.mark) + (count - end.mark) / 4 + 1
        return nil
    }
}
