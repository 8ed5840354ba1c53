// A container throws a DecodingError, which types may catch. It carries the StoreError for the caller of the store.

extension RowDecoder {
    /// Error for a decoder or container that was kept.
    static let noRow = DecodingError.dataCorrupted(
        .init(StoreError(.undecodable, "Decoder used after its row was decoded; read all values in init(from:)."), []))

    /// - Parameter type: the type of the key's value, if known.
    func missingColumn(_ key: String, for type: Any.Type?) -> DecodingError {
        let purpose = type.map { " for \($0)" } ?? ""
        let name = coding.keys.columnName(of: key)
        return .keyNotFound(
            ColumnKey(name),
            .init(
                StoreError(
                    .undecodable,
                    "Cannot decode \(row): it has no column \"\(name)\"\(purpose); select it, or make the "
                        + "property optional."), []))
    }

    func missingColumn(at column: Int, for type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                StoreError(
                    .undecodable,
                    "Cannot decode \(type) from \(row): it has no column \(column + 1); select a value."), []))
    }

    /// Error for a cell that is not a value of a type.
    /// - Parameter kind: the cell's storage class.
    func failure(
        _ problem: CellProblem, _ type: Any.Type, _ kind: StoreValue.Kind, at column: Int
    ) -> DecodingError {
        let found =
            switch problem {
            case .storageClass: kind == .null ? "NULL; make the property optional" : kind.storageClass
            case .range: "\(kind.storageClass) that is out of range"
            case .format: "\(kind.storageClass) that does not have the format of \(type)"
            }
        let error = StoreError(.undecodable, "Cannot decode \(type) from \(place(column)): found \(found).")
        let context = DecodingError.Context(error, codingPath(column))
        return switch problem {
        case .storageClass where kind == .null: .valueNotFound(type, context)
        case .storageClass: .typeMismatch(type, context)
        case .range, .format: .dataCorrupted(context)
        }
    }

    /// Adds a column to the error of a type that decoded itself from a cell.
    func failure(_ error: any Error, _ type: Any.Type, at column: Int) -> any Error {
        guard let error = error as? DecodingError, error.storeError == nil else { return error }
        let message = "Cannot decode \(type) from \(place(column)): \(error.reason)."
        return error.with(StoreError(.undecodable, message), codingPath(column))
    }

    /// The error of a whole row, for the caller of the store.
    func rowFailure(_ error: any Error, _ type: Any.Type) -> any Error {
        guard let error = error as? DecodingError else { return error }
        return error.storeError ?? StoreError(.undecodable, "Cannot decode \(type) from \(row): \(error.reason).")
    }

    func codingPath(_ column: Int) -> [any CodingKey] {
        let names = state.pointee.columns.names
        return column < names.count ? [ColumnKey(names[column])] : []
    }

    private var row: String {
        state.pointee.rowNumber.map { "row \($0)" } ?? "the row"
    }

    private func place(_ column: Int) -> String {
        let names = state.pointee.columns.names
        guard column < names.count, Self.isPlain(names[column]) else { return "\(row), column \(column + 1)" }
        return "\(row), column \"\(names[column])\""
    }

    /// False for a name that may be the text of an expression, which may contain a value.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else { return false }
        return name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0 == "_" || $0 == "." || ("0"..."9").contains($0)
        }
    }
}

/// A column in the coding path of an error.
struct ColumnKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

extension StoreValue.Kind {
    /// SQLite's name of the storage class.
    fileprivate var storageClass: String {
        switch self {
        case .null: "NULL"
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}
