import Foundation
import SystemLibraries

/// Where an empty text or blob lies: SQLite takes a null address for null.
private let emptyBytes: StaticString = ""

extension SQLiteConnection {
    /// Gives a statement's parameters their values.
    func set(_ values: [StoreValue], of statement: SQLiteStatement) throws(StoreError) {
        guard values.count == statement.parameterCount else {
            throw StoreError(
                .invalidArgument,
                "The statement has \(statement.parameterCount) parameters, and \(values.count) values were given.")
        }
        let pointer = statement.pointer
        var index: CInt = 0
        for value in values {
            index += 1
            let code: CInt
            switch value {
            case .null: code = functions.bindNull(pointer, index)
            case .integer(let number): code = functions.bindInteger(pointer, index, number)
            case .real(let number): code = functions.bindReal(pointer, index, number)
            case .text(var text):
                code = text.withUTF8 {
                    bindText(pointer, index, UnsafeRawBufferPointer($0), SQLiteConstant.transient)
                }
            case .blob(let data):
                code = data.withUnsafeBytes { bindBlob(pointer, index, $0, SQLiteConstant.transient) }
            }
            guard code == SQLiteConstant.ok else { throw failure(code) }
        }
    }

    @inline(__always)
    private func bindText(
        _ pointer: OpaquePointer?, _ index: CInt, _ bytes: UnsafeRawBufferPointer,
        _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        let start = bytes.isEmpty ? UnsafeRawPointer(emptyBytes.utf8Start) : bytes.baseAddress
        return functions.bindText(
            pointer, index, start?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), destructor,
            SQLiteConstant.utf8)
    }

    @inline(__always)
    private func bindBlob(
        _ pointer: OpaquePointer?, _ index: CInt, _ bytes: UnsafeRawBufferPointer,
        _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        let start = bytes.isEmpty ? UnsafeRawPointer(emptyBytes.utf8Start) : bytes.baseAddress
        return functions.bindBlob(pointer, index, start, UInt64(bytes.count), destructor)
    }

    /// Runs a statement once for each row of a batch, with the row's cells as its parameters.
    /// - Parameter required: the columns of the batch that may not be null.
    /// - Returns: how many rows were changed by the statement itself, in all runs.
    mutating func run(
        _ statement: SQLiteStatement, for batch: RowBatch, required: [Int] = []
    ) throws(StoreError) -> Int {
        try checkTransaction()
        defer { release(statement) }
        let before = functions.totalChanges(database)
        var changed = 0
        // Foundation's closures lose the type of the error, hence the results.
        try batch.cells.withUnsafeBufferPointer { cells in
            batch.arena.withUnsafeBytes { arena in
                Result { () throws(StoreError) in
                    for row in 0..<batch.rowCount {
                        let first = row * batch.columns.count
                        for column in required where cells[first + column].kind == .null {
                            throw StoreError(
                                .constraint, "The key column \(batch.columns[column]) is null in a row of the batch.")
                        }
                        let rowCells = UnsafeBufferPointer(rebasing: cells[first..<first + batch.columns.count])
                        changed += try run(statement, rowCells, arena)
                    }
                }
            }
        }.get()
        if functions.totalChanges(database) != before { touch(statement.effects.tables) }
        return changed
    }

    @inline(__always)
    private func run(
        _ statement: SQLiteStatement, _ cells: UnsafeBufferPointer<RowBatch.Cell>, _ arena: UnsafeRawBufferPointer
    ) throws(StoreError) -> Int {
        let pointer = statement.pointer
        var index: CInt = 0
        for cell in cells {
            index += 1
            // The bytes outlive the run, so that SQLite need not copy them.
            let code =
                switch cell.kind {
                case .null: functions.bindNull(pointer, index)
                case .integer: functions.bindInteger(pointer, index, cell.integer)
                case .real: functions.bindReal(pointer, index, cell.real)
                case .text: bindText(pointer, index, cell.bytes(in: arena), nil)
                case .blob: bindBlob(pointer, index, cell.bytes(in: arena), nil)
                }
            guard code == SQLiteConstant.ok else { throw failure(code) }
        }
        let code = functions.step(pointer)
        guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw failure(code) }
        let end = functions.reset(pointer)
        guard end == SQLiteConstant.ok else { throw failure(end) }
        return Int(functions.changes(database))
    }
}
