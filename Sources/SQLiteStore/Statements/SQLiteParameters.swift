import Foundation
import StoreCore
import SystemLibraries

/// Parameters of a statement: its address and the bind functions. No reference counting; see ``SQLiteRow``.
struct SQLiteParameters {
    private let statement: OpaquePointer?
    private let bindNull: SQLiteFunctions.HandleIntFunction
    private let bindInteger: SQLiteFunctions.BindInteger
    private let bindReal: SQLiteFunctions.BindReal
    private let bindText: SQLiteFunctions.BindText
    private let bindBlob: SQLiteFunctions.BindBlob

    /// Address for an empty text or blob, since SQLite binds NULL for a null pointer.
    private static let empty: StaticString = ""

    init(_ statement: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.statement = statement
        bindNull = functions.bindNull
        bindInteger = functions.bindInteger
        bindReal = functions.bindReal
        bindText = functions.bindText
        bindBlob = functions.bindBlob
    }

    /// Binds a value; SQLite copies it.
    /// - Parameter index: from 1.
    /// - Returns: the SQLite result code.
    func bind(_ value: StoreValue, at index: CInt) -> CInt {
        switch value {
        case .null: bindNull(statement, index)
        case .integer(let number): bindInteger(statement, index, number)
        case .real(let number): bindReal(statement, index, number)
        case .text(var text):
            text.withUTF8 { bind(text: UnsafeRawBufferPointer($0), at: index, SQLiteConstant.transient) }
        case .blob(let data): data.withUnsafeBytes { bind(blob: $0, at: index, SQLiteConstant.transient) }
        }
    }

    /// Binds a cell without copying; its bytes must stay valid until the statement has run.
    @inline(__always)
    func bind(_ cell: RowBatch.Cell, in arena: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        // The stored bits, since the cell's accessors would each be a call into another module.
        let bits = cell.bits
        switch cell.kind {
        case .null: return bindNull(statement, index)
        case .integer: return bindInteger(statement, index, Int64(bitPattern: bits))
        case .real: return bindReal(statement, index, Double(bitPattern: bits))
        case .text: return bind(text: Self.slice(bits, of: arena), at: index, nil)
        case .blob: return bind(blob: Self.slice(bits, of: arena), at: index, nil)
        }
    }

    /// The text or blob of a cell with these bits; see `RowBatch.Cell`.
    @inline(__always)
    private static func slice(_ bits: UInt64, of arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let offset = Int(bits >> 32)
        return UnsafeRawBufferPointer(
            rebasing: arena[offset..<offset + Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)])
    }

    @inline(__always)
    private func bind(
        text: UnsafeRawBufferPointer, at index: CInt, _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        bindText(
            statement, index, start(text)?.assumingMemoryBound(to: CChar.self), UInt64(text.count), destructor,
            SQLiteConstant.utf8)
    }

    @inline(__always)
    private func bind(
        blob: UnsafeRawBufferPointer, at index: CInt, _ destructor: SQLiteFunctions.Destructor
    ) -> CInt {
        bindBlob(statement, index, start(blob), UInt64(blob.count), destructor)
    }

    @inline(__always)
    private func start(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        bytes.isEmpty ? UnsafeRawPointer(Self.empty.utf8Start) : bytes.baseAddress
    }
}
