extension DecodingError.Context {
    init(_ error: StoreError, _ codingPath: [any CodingKey]) {
        self.init(codingPath: codingPath, debugDescription: error.message, underlyingError: error)
    }
}

extension DecodingError {
    /// The error of the store that it carries.
    var storeError: StoreError? { context?.underlyingError as? StoreError }

    private var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The same error with the error of the store.
    /// - Parameter codingPath: the path of the decoder that read a part of the row.
    func with(_ error: StoreError, _ codingPath: [any CodingKey]) -> DecodingError {
        let inner = context?.codingPath ?? []
        let path = inner.first is ColumnKey ? inner : codingPath + inner
        return switch self {
        case .typeMismatch(let type, _): .typeMismatch(type, Context(error, path))
        case .valueNotFound(let type, _): .valueNotFound(type, Context(error, path))
        case .keyNotFound(let key, _): .keyNotFound(key, Context(error, path))
        case .dataCorrupted: .dataCorrupted(Context(error, path))
        @unknown default: .dataCorrupted(Context(error, path))
        }
    }

    /// What is wrong, without values: neither the text of the error nor a key that may come from a dictionary.
    var reason: String {
        let path = context.map { $0.codingPath.compactMap(\.propertyName).joined(separator: ".") } ?? ""
        let place = path.isEmpty ? "" : " at \(path)"
        return switch self {
        case .typeMismatch(let type, _): "found another type than \(type)\(place)"
        case .valueNotFound(let type, _): "found no value for \(type)\(place)"
        case .keyNotFound(let key, _): "found no value for \(key.propertyName ?? "a key")\(place)"
        case .dataCorrupted: "the value is not valid\(place)"
        @unknown default: "the value is not valid\(place)"
        }
    }
}

extension CodingKey {
    /// The name, when it is certainly that of a property: a case of an enum without associated values.
    var propertyName: String? {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? stringValue : nil
    }
}
