import Foundation
import JSON
import StoreCore

/// Reads the format of ``JSONDeltaSource`` from bytes as they come, without I/O.
struct JSONDeltaReader: Sendable {
    private var buffer: ScanBuffer
    private var elements = JSONDeltaParser(nil)

    /// - Parameter maximumRowLength: maximum bytes of a row, and of the header.
    init(maximumRowLength: Int) { buffer = ScanBuffer(maximumLength: maximumRowLength) }

    mutating func begin(_ target: DeltaTarget) { elements = JSONDeltaParser(target) }

    /// Appends the next bytes, split anywhere.
    mutating func push(_ bytes: Data) { buffer.push(bytes) }

    /// Marks the end of the bytes.
    mutating func finish() { buffer.finish() }

    /// Reads the header; nil when it needs more bytes.
    mutating func header() throws(DeltaError) -> DeltaHeader? {
        try read { (scanner, _, elements) throws(JSONScanner.Stop) in try elements.header(&scanner) }
    }

    /// Reads the next operations; nil when it needs more bytes, with those that it has read in the buffer already.
    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep? {
        let step = try read { (scanner, cells, elements) throws(JSONScanner.Stop) in
            try elements.next(&scanner, cells, into: &buffer)
        }
        if let sinkError = elements.sinkError { throw DeltaError(store: sinkError) }
        return step
    }

    private mutating func read<Result>(
        _ body: (inout JSONScanner, ScannedCells, inout JSONDeltaParser) throws(JSONScanner.Stop) -> Result
    ) throws(DeltaError) -> Result? {
        elements.isInputComplete = buffer.isFinished
        let cellCount = elements.cellCount
        return try buffer.scan(&elements, cellCount: cellCount, body)
    }
}
