extension ByteBuffer {
    /// Appends bytes, such as a member name with its colon, and a value. Infinity and NaN become `null`.
    package mutating func append(
        _ prefix: UnsafeRawBufferPointer, _ scalar: JSONScanner.Scalar
    ) throws(JSONError) {
        try reserve(prefix.count + 20)
        put(prefix)
        switch scalar {
        case .null: try append("null")
        case .bool(let value): try append(value ? "true" : "false")
        case .integer(let value): put(decimal: value)
        case .real(let value) where !value.isFinite: try append("null")
        case .real(let value): try append(finite: value)
        case .text(let bytes): try JSONStringWriter.write(UnsafeRawBufferPointer(bytes), to: &self)
        }
    }
}
