import Foundation
import JSON

/// Decodes the rows of one result set, directly from their cells; one object for all rows.
///
/// It reads the current row, between ``beginRow(_:)`` and ``endRow()``, which is when the cells are valid. A decoder or
/// a container that a type has kept throws while there is none.
final class RowDecoder: Decoder {
    struct State {
        /// The cells of the current row.
        var source = StoreRow.Source.cells(UnsafeBufferPointer(start: nil, count: 0))
        var columns: ColumnIndex
        /// The number of the current row, from 1; nil for a row that is decoded alone.
        var rowNumber: Int?
        /// The containers by type of key, made once.
        var containers: [Container] = []
        /// Made once, for cells with JSON.
        var jsonCoding: JSONCoding?
    }

    /// A keyed container with the type of its keys.
    class Container {
        let keys: ObjectIdentifier

        fileprivate init(_ keys: ObjectIdentifier) { self.keys = keys }
    }

    private final class KeyedContainer<Key: CodingKey>: Container {
        let container: KeyedDecodingContainer<Key>

        init(_ row: RowDecoder) {
            container = KeyedDecodingContainer(RowContainer<Key>(row))
            super.init(ObjectIdentifier(Key.self))
        }
    }

    let coding: StoreCoding
    /// A pointer, since the properties of a class would be checked for exclusive access at each cell.
    let state: UnsafeMutablePointer<State>

    /// - Parameter numbersRows: false when there is no result set.
    init(_ coding: StoreCoding, numbersRows: Bool) {
        self.coding = coding
        state = .allocate(capacity: 1)
        state.initialize(to: State(columns: ColumnIndex(coding.keys), rowNumber: numbersRows ? 0 : nil))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: Rows

    /// Makes a row the current one. It must stay valid until ``endRow()``.
    func beginRow(_ row: borrowing StoreRow) {
        state.pointee.columns.beginRow(row.columnNames, columnCount: row.columnCount)
        state.pointee.source = row.source
        if let number = state.pointee.rowNumber { state.pointee.rowNumber = number + 1 }
    }

    func endRow() { state.pointee.columns.endRow() }

    /// Frees the containers, which refer to this object.
    func close() { state.pointee.containers = [] }

    // MARK: Cells

    /// The column of a key.
    /// - Throws: `DecodingError` (`keyNotFound`) when there is none.
    @inline(__always)
    func column(_ key: String, for type: Any.Type?) throws -> Int {
        guard let column = try optionalColumn(key) else { throw missingColumn(key, for: type) }
        return column
    }

    /// The column of a key; nil when there is none.
    @inline(__always)
    func optionalColumn(_ key: String) throws -> Int? {
        do throws(ColumnIndex.NoRow) { return try state.pointee.columns.column(key) } catch { throw Self.noRow }
    }

    /// A cell of the current row; the index must be that of a column.
    @inline(__always)
    func cell(at column: Int) -> StoreCell { state.pointee.source.cell(at: column) }

    /// A cell of the current row.
    func checkedCell(at column: Int, for type: Any.Type) throws -> StoreCell {
        guard state.pointee.columns.isActive else { throw Self.noRow }
        guard column >= 0, column < state.pointee.columns.count else { throw missingColumn(at: column, for: type) }
        return cell(at: column)
    }

    @inline(__always)
    func scalar<Scalar: CellScalar>(_ type: Scalar.Type, _ key: String) throws -> Scalar {
        let column = try column(key, for: type)
        return try scalar(type, cell(at: column), at: column)
    }

    /// The value of a key; nil when there is no such column or its cell is null.
    @inline(__always)
    func optionalScalar<Scalar: CellScalar>(_ type: Scalar.Type, _ key: String) throws -> Scalar? {
        guard let column = try optionalColumn(key) else { return nil }
        let cell = cell(at: column)
        return cell.kind == .null ? nil : try scalar(type, cell, at: column)
    }

    @inline(__always)
    func scalar<Scalar: CellScalar>(_ type: Scalar.Type, _ cell: StoreCell, at column: Int) throws -> Scalar {
        do throws(CellProblem) { return try Scalar.decode(cell, coding) } catch {
            throw failure(error, type, cell.kind, at: column)
        }
    }

    /// The value of a cell as any type, which may read JSON.
    /// - Parameter cell: that of the column.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type, _ cell: StoreCell, at column: Int) throws -> Value {
        guard let scalar = ScalarType(type) else { return try nestedValue(type, at: column) }
        do throws(CellProblem) { return try cell.value(scalar, as: type, coding) } catch {
            throw failure(error, type, cell.kind, at: column)
        }
    }

    /// The value of a cell as a type that decodes itself.
    private func nestedValue<Value: Decodable>(_ type: Value.Type, at column: Int) throws -> Value {
        do { return try Value(from: CellDecoder(self, column)) } catch { throw failure(error, type, at: column) }
    }

    /// The value of the row: that of the first column for a type that is in one cell, else from all columns.
    func wholeValue<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard ScalarType(type) != nil else { return try Value(from: self) }
        return try value(type, checkedCell(at: 0, for: type), at: 0)
    }

    // MARK: Decoder

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let keys = ObjectIdentifier(type)
        for container in state.pointee.containers where container.keys == keys {
            return unsafeDowncast(container, to: KeyedContainer<Key>.self).container
        }
        let container = KeyedContainer<Key>(self)
        // After the end there is no `close()`.
        if state.pointee.columns.isActive { state.pointee.containers.append(container) }
        return container.container
    }

    /// The elements of a JSON array in the first column.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try CellDecoder(self, 0).unkeyedContainer() }

    /// The first column.
    func singleValueContainer() -> any SingleValueDecodingContainer { CellDecoder(self, 0, isWholeRow: true) }

    /// All keys with a column.
    func allKeys<Key: CodingKey>() -> [Key] {
        guard state.pointee.columns.isActive else { return [] }
        let names = state.pointee.columns.names.prefix(state.pointee.columns.count)
        var seen: Set<SQLIdentifier> = []
        return names.compactMap { name in
            guard seen.insert(SQLIdentifier(name)).inserted else { return nil }
            let key = coding.keys.key(ofColumn: name)
            let isReversible = SQLIdentifier(coding.keys.columnName(of: key)) == SQLIdentifier(name)
            return Key(stringValue: isReversible ? key : name)
        }
    }
}
