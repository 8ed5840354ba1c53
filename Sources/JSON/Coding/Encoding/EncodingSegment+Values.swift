import Foundation

extension EncodingSegment {
    /// Writes a value of any type.
    ///
    /// Common types are written without an encoder: the text is the same, and an encoder costs more than a number does.
    @inline(__always)
    func write<Value: Encodable>(_ value: Value, _ key: EncodingFrame.Key = .none) throws {
        if Value.self == String.self { return try write(unsafeBitCast(value, to: String.self)) }
        if Value.self == Int.self { return try write(unsafeBitCast(value, to: Int.self)) }
        if Value.self == Double.self { return try write(unsafeBitCast(value, to: Double.self)) }
        try writeOther(value, key)
    }

    @inline(never)
    private func writeOther<Value: Encodable>(_ value: Value, _ key: EncodingFrame.Key = .none) throws {
        // Each of these types is compared before the value is cast, so the two types are the same.
        if Value.self == Bool.self { return try write(unsafeBitCast(value, to: Bool.self)) }
        if Value.self == [Double].self { return try write(unsafeBitCast(value, to: [Double].self)) { try write($0) } }
        if Value.self == [Int].self { return try write(unsafeBitCast(value, to: [Int].self)) { try write($0) } }
        if Value.self == [String].self { return try write(unsafeBitCast(value, to: [String].self)) { try write($0) } }
        if Value.self == Decimal.self { return try write(unsafeBitCast(value, to: Decimal.self)) }
        if Value.self == JSONValue.self { return try write(unsafeBitCast(value, to: JSONValue.self)) }
        if Value.self == URL.self { return try write(unsafeBitCast(value, to: URL.self).absoluteString) }
        guard depth < Self.maximumDepth else { throw tooDeep(Value.self) }
        let encoder = push(Value.self, key)
        if Value.self == Date.self {
            try write(unsafeBitCast(value, to: Date.self), to: encoder)
        } else if Value.self == Data.self {
            try write(unsafeBitCast(value, to: Data.self), to: encoder)
        } else {
            try value.encode(to: encoder)
        }
        try pop()
    }

    /// Writes an array of values that need no frame, with the index of a value that fails.
    @inline(__always)
    private func write<Element>(_ elements: [Element], _ write: (Element) throws -> Void) throws {
        try put("[")
        for index in elements.indices {
            if index > 0 { try put(",") }
            do {
                try write(elements[index])
            } catch var error as UnencodableValue {
                error.path.insert(JSONKey(index: index), at: 0)
                throw error
            }
        }
        try put("]")
    }

    /// Nesting that an encoded value may have, so that a value that contains itself is an error.
    static let maximumDepth = 512

    @inline(never)
    func tooDeep(_ type: Any.Type) -> UnencodableValue {
        UnencodableValue(
            value: "\(type)", description: "The value is nested more than \(Self.maximumDepth) levels deep.")
    }

    /// The error for a value that cannot be encoded, with its path; the type's own key is in that of any error.
    /// - Parameter key: the key of the value in the top frame; nil for a single value.
    func located(_ error: any Error, _ key: (any CodingKey)?) -> any Error {
        let path = path(frames.count - 1)
        switch error {
        case let error as UnencodableValue:
            let keys: [any CodingKey] = (key.map { [$0] } ?? []) + error.path
            return EncodingError.invalidValue(
                error.value, EncodingError.Context(codingPath: path + keys, debugDescription: error.description))
        case EncodingError.invalidValue(let value, let context):
            guard let key, context.codingPath.indices.contains(path.count),
                context.codingPath[path.count].stringValue == key.stringValue
            else { return error }
            var keys = context.codingPath
            keys[path.count] = key
            return EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: keys, debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError))
        default:
            return error
        }
    }

    // MARK: Scalars

    @inline(__always)
    func writeNull() throws(JSONError) { try buffer.append(static: "null") }

    @inline(__always)
    func write(_ value: Bool) throws(JSONError) { try buffer.append(static: value ? "true" : "false") }

    @inline(__always)
    func write(_ value: String) throws {
        var value = value
        try value.withUTF8 { try JSONStringWriter.write(UnsafeRawBufferPointer($0), to: &buffer) }
    }

    @inline(__always)
    func write<Integer: FixedWidthInteger>(_ value: Integer) throws(JSONError) {
        if let value = Int64(exactly: value) {
            try buffer.reserve(20)
            buffer.put(decimal: value)
        } else {
            try buffer.append(value.description)
        }
    }

    @inline(__always)
    func write(_ value: Double) throws {
        guard value.isFinite else { return try writeNonConforming(value) }
        try buffer.append(shortest: value)
    }

    func write(_ value: Float) throws {
        guard value.isFinite else { return try writeNonConforming(value) }
        // The shortest digits of a `Float` are fewer than those of the same number as a `Double`.
        try buffer.append(withoutZeroFraction: value.description)
    }

    private func write(_ value: Decimal) throws {
        // It has no infinity.
        guard value.isFinite else { return try writeNonConforming(Double.nan) }
        try buffer.append(value.description)
    }

    private func write(_ value: JSONValue) throws {
        do {
            try buffer.append(JSONWriter.data(of: value, invalidValues: .fail))
        } catch  where error.code == .invalidValue {
            throw UnencodableValue(value: value, description: error.message)
        }
    }

    private func writeNonConforming<Value: BinaryFloatingPoint & Sendable>(_ value: Value) throws {
        guard case .strings(let positiveInfinity, let negativeInfinity, let nan) = coding.nonConformingFloats else {
            throw UnencodableValue(
                value: value, description: "Unable to encode \(value) directly in JSON; set `nonConformingFloats`.")
        }
        try write(value.isNaN ? nan : value > 0 ? positiveInfinity : negativeInfinity)
    }

    // MARK: Foundation

    private func write(_ date: Date, to encoder: BufferEncoder) throws {
        switch coding.dates {
        case .custom(_, let encode): return try encode(date, encoder)
        case .deferredToDate: try write(date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: try write(date.timeIntervalSince1970)
        case .millisecondsSince1970: try write(1000 * date.timeIntervalSince1970)
        case .iso8601: try write(ISO8601.text(date, hasMilliseconds: false))
        case .iso8601WithMilliseconds: try write(ISO8601.text(date, hasMilliseconds: true))
        case .formatted(let formatter): try write(formatter.string(from: date))
        }
        frames[frames.count - 1].kind = .single
        frames[frames.count - 1].count = 1
    }

    private func write(_ data: Data, to encoder: BufferEncoder) throws {
        switch coding.data {
        case .custom(_, let encode): return try encode(data, encoder)
        case .deferredToData: return try data.encode(to: encoder)
        case .base64: try write(data.base64EncodedString())
        }
        frames[frames.count - 1].kind = .single
        frames[frames.count - 1].count = 1
    }
}

/// A value that cannot be encoded. Its path is added where the error leaves the value around it.
struct UnencodableValue: Error {
    let value: any Sendable
    let description: String
    /// The keys below that of the value that is encoded.
    var path: [JSONKey] = []
}
