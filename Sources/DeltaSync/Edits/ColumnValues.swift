import Foundation
public import StoreCore

/// The cells of a row by their columns.
public typealias ColumnValues = [SQLIdentifier: StoreValue]

extension ColumnValues {
    /// The cells as text, which is equal for equal cells: names and values in turn, sorted by name.
    var text: String {
        let cells = map { ($0.text.asciiLowercased, $1) }.sorted { $0.0 < $1.0 }
        return LengthPrefixedList.text(cells.flatMap { [$0.0, $0.1.text] })
    }

    /// Reads ``text``; nil for another text.
    init?(text: String) {
        guard let elements = LengthPrefixedList.elements(text), elements.count.isMultiple(of: 2) else { return nil }
        self.init()
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard let value = StoreValue(text: elements[index + 1]) else { return nil }
            self[SQLIdentifier(elements[index])] = value
        }
    }

    /// The cells as a table stores them.
    func stored(in schema: TableSchema) -> ColumnValues {
        var cells = self
        for column in schema.columns {
            if let value = cells[column.name] { cells[column.name] = value.stored(as: column.affinity) }
        }
        return cells
    }

    /// The cells of a primary key, so that keys that a table considers equal are equal; nil if one is missing or null.
    func key(of schema: TableSchema) -> ColumnValues? {
        var key = ColumnValues()
        for name in schema.primaryKey {
            guard let value = self[name], value != .null, let index = schema.index(of: name) else { return nil }
            let stored = value.stored(as: schema.columns[index].affinity)
            // 1 and 1.0 are the same key.
            key[name] =
                if case .real(let number) = stored { Int64(exactly: number).map { .integer($0) } ?? stored } else {
                    stored
                }
        }
        return key.isEmpty ? nil : key
    }

    /// The cells of other names than these.
    func without(_ names: some Collection<SQLIdentifier>) -> ColumnValues { filter { !names.contains($0.key) } }
}

extension ColumnValues? {
    /// True if another row has these cells, except for one column; or if there is no row.
    func means(_ other: ColumnValues?, apartFrom column: SQLIdentifier?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.allSatisfy { $0.key == column || other[$0.key].means($0.value) }
    }
}

extension StoreValue {
    /// An entity tag in the form in which a row has its version: quoted, or the text or the number between the quotes.
    ///
    /// Nil for a tag that does not have that form; the row then keeps its version, so that the server refuses the next
    /// request rather than take it for one without a condition.
    package func version(like old: StoreValue) -> StoreValue? {
        guard case .text(let tag) = self, tag.hasSuffix("\""), let start = tag.firstIndex(of: "\"") else { return self }
        let opaque = String(tag[tag.index(after: start)...].dropLast())
        switch old {
        case .integer: return Int64(opaque).map { .integer($0) }
        case .text(let text) where !text.hasSuffix("\""): return .text(opaque)
        default: return self
        }
    }

    /// The value with its storage class as text.
    fileprivate var text: String {
        switch self {
        case .null: "n"
        case .integer(let value): "i\(value)"
        case .real(let value): "r\(value.bitPattern)"
        case .text(let value): "t" + value
        case .blob(let value): "b" + value.base64EncodedString()
        }
    }

    fileprivate init?(text: String) {
        let rest = String(text.dropFirst())
        switch text.utf8.first {
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "i"):
            guard let value = Int64(rest) else { return nil }
            self = .integer(value)
        case UInt8(ascii: "r"):
            guard let bits = UInt64(rest) else { return nil }
            self = .real(Double(bitPattern: bits))
        // Not `dropFirst`, for which the tag and a combining character are one.
        case UInt8(ascii: "t"): self = .text(String(decoding: text.utf8.dropFirst(), as: UTF8.self))
        case UInt8(ascii: "b"):
            guard let data = Data(base64Encoded: rest) else { return nil }
            self = .blob(data)
        default: return nil
        }
    }

    /// The value as a column stores it (sqlite.org/datatype3.html, section 3).
    fileprivate func stored(as affinity: ColumnAffinity) -> StoreValue {
        switch (affinity, self) {
        case (.text, .integer(let value)): .text("\(value)")
        case (.text, .real(let value)): .text(String(decoding: SQLNumber.text(value), as: UTF8.self))
        case (.integer, .text(let text)), (.numeric, .text(let text)), (.real, .text(let text)):
            Self.number(text).map { $0.stored(as: affinity) } ?? self
        case (.integer, .real(let value)), (.numeric, .real(let value)):
            Int64(exactly: value).flatMap { $0 > .min ? .integer($0) : nil } ?? self
        case (.real, .integer(let value)): .real(Double(value))
        // Without the sign of zero.
        case (.real, .real(let value)): .real(value + 0)
        default: self
        }
    }

    /// The number that a text consists of, as SQLite reads it; nil for another text.
    private static func number(_ text: String) -> StoreValue? {
        let bytes = ArraySlice(text.utf8)
        let real = SQLNumber.real(bytes)
        guard real.isNumber else { return nil }
        if real.form == .integer, let integer = SQLNumber.integer(bytes), integer.isWhole {
            return .integer(integer.value)
        }
        return .real(real.value)
    }
}
