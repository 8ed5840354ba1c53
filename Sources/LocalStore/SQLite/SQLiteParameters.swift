import Foundation
import SystemLibraries

/// The parameters of a statement: its address, and the functions that set them. Nothing in it is counted; see
/// ``SQLiteRow``.
struct SQLiteParameters {
    private let statement: OpaquePointer?
    private let bindNull: SQLiteFunctions.AskWith
    private let bindInteger: SQLiteFunctions.BindInteger
    private let bindReal: SQLiteFunctions.BindReal
    private let bindText: SQLiteFunctions.BindText
    private let bindBlob: SQLiteFunctions.BindBlob

    /// Where an empty text or blob lies: SQLite takes a null address for null.
    private static let empty: StaticString = ""

    init(_ statement: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.statement = statement
        bindNull = functions.bindNull
        bindInteger = functions.bindInteger
        bindReal = functions.bindReal
        bindText = functions.bindText
        bindBlob = functions.bindBlob
    }

    /// Sets a parameter to a value, which is copied.
    /// - Parameter index: from 1.
    /// - Returns: SQLite's code.
    func set(_ value: StoreValue, at index: CInt) -> CInt {
        switch value {
        case .null: bindNull(statement, index)
        case .integer(let number): bindInteger(statement, index, number)
        case .real(let number): bindReal(statement, index, number)
        case .text(var text):
            text.withUTF8 { set(text: UnsafeRawBufferPointer($0), at: index, SQLiteConstant.transient) }
        case .blob(let data): data.withUnsafeBytes { set(blob: $0, at: index, SQLiteConstant.transient) }
        }
    }

    /// Sets a parameter to a cell, whose bytes have to stay where they are until the statement was run.
    @inline(__always)
    func set(_ cell: RowBatch.Cell, in arena: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        switch cell.kind {
        case .null: bindNull(statement, index)
        case .integer: bindInteger(statement, index, cell.integer)
        case .real: bindReal(statement, index, cell.real)
        case .text: set(text: cell.bytes(in: arena), at: index, nil)
        case .blob: set(blob: cell.bytes(in: arena), at: index, nil)
        }
    }

    @inline(__always)
    private func set(
        text: UnsafeRawBufferPointer, at index: CInt, _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        bindText(
            statement, index, start(text)?.assumingMemoryBound(to: CChar.self), UInt64(text.count), destructor,
            SQLiteConstant.utf8)
    }

    @inline(__always)
    private func set(
        blob: UnsafeRawBufferPointer, at index: CInt, _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        bindBlob(statement, index, start(blob), UInt64(blob.count), destructor)
    }

    @inline(__always)
    private func start(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        bytes.isEmpty ? UnsafeRawPointer(Self.empty.utf8Start) : bytes.baseAddress
    }
}
