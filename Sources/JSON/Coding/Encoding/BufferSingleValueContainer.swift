/// Container of one value, in a segment.
struct BufferSingleValueContainer: SingleValueEncodingContainer {
    let encoder: BufferEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private var segment: EncodingSegment { encoder.segment }

    /// Writes the value. If that fails, nothing of it remains.
    @inline(__always)
    private func single(_ write: (EncodingSegment) throws -> Void) throws {
        try segment.check(encoder.frame, encoder.serial)
        let mark = segment.mark
        do {
            try segment.startSingle(encoder.frame, encoder.serial)
            try write(segment)
        } catch {
            segment.undo(to: mark)
            throw segment.located(error, nil)
        }
    }

    func encodeNil() throws { try single { try $0.writeNull() } }
    func encode(_ value: Bool) throws { try single { try $0.write(value) } }
    func encode(_ value: String) throws { try single { try $0.write(value) } }
    func encode(_ value: Double) throws { try single { try $0.write(value) } }
    func encode(_ value: Float) throws { try single { try $0.write(value) } }
    func encode(_ value: Int) throws { try single { try $0.write(value) } }
    func encode(_ value: Int8) throws { try single { try $0.write(value) } }
    func encode(_ value: Int16) throws { try single { try $0.write(value) } }
    func encode(_ value: Int32) throws { try single { try $0.write(value) } }
    func encode(_ value: Int64) throws { try single { try $0.write(value) } }
    func encode(_ value: Int128) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt8) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt16) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt32) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt64) throws { try single { try $0.write(value) } }
    func encode(_ value: UInt128) throws { try single { try $0.write(value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        try single { try $0.write(value, .none) }
    }
}
