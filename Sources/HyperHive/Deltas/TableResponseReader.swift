import DeltaSync
import Foundation
import JSON
import StoreCore

/// Reader of a response with tables, in batches. Synchronous; use it from one thread.
///
/// - ``next(_:rows:keys:)`` with the rows pass reads a full load as it arrives. If a table's name follows its rows, the
///   rest of the response first goes to a temporary file.
/// - ``spool()`` first receives the whole response into a temporary file, for several passes.
///
/// Memory: one batch, one chunk, and one incomplete row.
struct TableResponseReader {
    /// Result of a step. `table` is an index into the target's tables.
    enum Step: Hashable, Sendable {
        /// Rows, in `rows[table]`.
        case rows(table: Int)
        /// Keys of deleted rows, in `keys[table]`.
        case deletions(table: Int)
        /// The pass is complete.
        case end
    }

    /// State of a scan.
    private struct Scan {
        var parser: TableResponseParser
        /// The table of the batch being filled.
        var table: Int?
        /// The error of a batch that refused a cell.
        var sinkError: StoreError?
    }

    private enum Outcome { case step(Step), needsNames }

    private let folder: URL
    private let maximumRowLength: Int
    private var buffer: ScanBuffer
    private var scan: Scan
    private var nextChunk: () throws -> Data?
    /// The received response and the state at its first byte.
    private var spooled: (bytes: DeltaSpool, offset: Int, parser: TableResponseParser)?

    /// - Parameters:
    ///   - folder: the folder for temporary files.
    ///   - maximumRowLength: maximum bytes of a row; default 16 MiB.
    ///   - nextChunk: returns the next bytes, split anywhere; nil at the end.
    init(
        _ tables: [ResourceTarget.Table], _ format: TableResponseParser.Format, folder: URL,
        maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength, nextChunk: @escaping () throws -> Data?
    ) {
        self.folder = folder
        self.maximumRowLength = maximumRowLength
        buffer = ScanBuffer(maximumLength: maximumRowLength, keepsLongNumbers: true)
        self.nextChunk = nextChunk
        scan = Scan(parser: TableResponseParser(tables, format))
    }

    /// Reads a batch of a pass.
    /// - Parameters:
    ///   - rows: an empty batch for each table, with its columns first.
    ///   - keys: an empty batch for each table, with the column of its key.
    /// - Throws: `DeltaError`: `malformed`, `truncated`, `rowTooLarge`, `unknownTable`, `missingKey`; `source` with the
    ///   error of `nextChunk` or of the temporary file; `store` when a batch is full.
    mutating func next(
        _ pass: TableResponseParser.Pass, rows: inout [RowBatch], keys: inout [RowBatch]
    ) throws(DeltaError) -> Step {
        while true {
            scan.parser.isInputComplete = buffer.isFinished
            let outcome = try buffer.scan(&scan, cellCount: scan.parser.cellCount) {
                (scanner, cells, scan) throws(JSONScanner.Stop) in
                try Self.fill(&scanner, cells, &scan, pass, rows: &rows, keys: &keys)
            }
            if let error = scan.sinkError {
                throw DeltaError(.store, "Store error: \(error.message)", underlying: error)
            }
            switch outcome {
            case .step(let step): return step
            case .needsNames: try spool()
            case nil: try receive()
            }
        }
    }

    /// Adds rows or keys to a batch until it is full, or its list ends.
    private static func fill(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ scan: inout Scan, _ pass: TableResponseParser.Pass,
        rows: inout [RowBatch], keys: inout [RowBatch]
    ) throws(JSONScanner.Stop) -> Outcome {
        while scan.sinkError == nil {
            switch try scan.parser.next(&scanner, cells, pass) {
            case .row(let table):
                scan.table = table
                // The batch may have more columns, which the server no longer sends.
                append(cells, scan.parser.tables[table].schema.columns.count, to: &rows[table], &scan)
                guard DeltaBuffer.isFull(rows[table]) else { continue }
                scan.table = nil
                return .step(.rows(table: table))
            case .deletion(let table):
                scan.table = table
                append(cells, 1, to: &keys[table], &scan)
                guard DeltaBuffer.isFull(keys[table]) else { continue }
                scan.table = nil
                return .step(.deletions(table: table))
            case .listEnd:
                guard let table = scan.table else { continue }
                scan.table = nil
                return .step(pass == .rows ? .rows(table: table) : .deletions(table: table))
            case .needsNames: return .needsNames
            case .end: return .step(.end)
            }
        }
        return .step(.end)
    }

    private static func append(_ cells: ScannedCells, _ count: Int, to batch: inout RowBatch, _ scan: inout Scan) {
        do throws(StoreError) {
            try cells.appendRow(count, to: &batch)
        } catch {
            scan.sinkError = error
        }
    }

    private mutating func receive() throws(DeltaError) {
        do {
            if let chunk = try nextChunk() { buffer.push(chunk) } else { buffer.finish() }
        } catch {
            throw Self.unreadable(error)
        }
    }

    private static func unreadable(_ error: any Error) -> DeltaError {
        switch error {
        case let error as DeltaError: error
        case is CancellationError: DeltaError(.cancelled, "Cancelled; nothing was changed.", underlying: error)
        case is POSIXError:
            DeltaError(.source, "Temporary file of the response failed; check the free space.", underlying: error)
        default: .source("Reading the response failed", error)
        }
    }

    // MARK: Temporary file

    /// Receives the rest of the response into a temporary file, and checks its syntax and its tables.
    ///
    /// The next pass starts where the response was.
    /// - Throws: what ``next(_:rows:keys:)`` throws.
    mutating func spool() throws(DeltaError) {
        let (parser, offset) = (scan.parser, buffer.position)
        var received = DeltaSpool(memoryLimit: 0, in: folder)
        do {
            try received.append(Data(buffer.unprocessed))
        } catch {
            throw Self.unreadable(error)
        }
        while true {
            scan.parser.isInputComplete = buffer.isFinished
            let end = try buffer.scan(&scan, cellCount: scan.parser.cellCount) {
                (scanner, cells, scan) throws(JSONScanner.Stop) in
                while try scan.parser.next(&scanner, cells, .names) != .end {}
                return true
            }
            if end != nil { break }
            do {
                if let chunk = try nextChunk() {
                    try received.append(chunk)
                    buffer.push(chunk)
                } else {
                    buffer.finish()
                }
            } catch {
                throw Self.unreadable(error)
            }
        }
        spooled = (received, offset, parser.continued(with: scan.parser.names))
        rewind()
    }

    /// Makes the next pass start at the first byte of the temporary file.
    mutating func rewind() {
        guard let spooled else { return }
        buffer = ScanBuffer(
            maximumLength: maximumRowLength, keepsLongNumbers: true, streamOffset: spooled.offset)
        scan = Scan(parser: spooled.parser)
        nextChunk = spooled.bytes.reader()
    }
}
