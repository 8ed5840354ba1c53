/// Container of the elements of an array, in a segment.
struct BufferUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: BufferEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Number of elements so far; zero after the value is complete.
    var count: Int {
        encoder.frame < segment.frames.count && segment.frames[encoder.frame].serial == encoder.serial
            ? segment.frames[encoder.frame].count : 0
    }

    private var segment: EncodingSegment { encoder.segment }

    @inline(__always)
    private func element(_ write: (EncodingSegment) throws -> Void) throws {
        try segment.startElement(encoder.frame, encoder.serial)
        try write(segment)
    }

    /// Writes an element that may fail. Then nothing of it remains.
    @inline(__always)
    private func failable(_ write: (EncodingSegment, Int) throws -> Void) throws {
        try segment.check(encoder.frame, encoder.serial)
        let mark = segment.mark
        do {
            try segment.startElement(encoder.frame, encoder.serial)
            try write(segment, mark.top.count)
        } catch {
            segment.undo(to: mark)
            throw segment.located(error, JSONKey(index: mark.top.count))
        }
    }

    func encodeNil() throws { try element { try $0.writeNull() } }
    func encode(_ value: Bool) throws { try element { try $0.write(value) } }
    func encode(_ value: String) throws { try element { try $0.write(value) } }
    func encode(_ value: Double) throws { try failable { segment, _ in try segment.write(value) } }
    func encode(_ value: Float) throws { try failable { segment, _ in try segment.write(value) } }
    func encode(_ value: Int) throws { try element { try $0.write(value) } }
    func encode(_ value: Int8) throws { try element { try $0.write(value) } }
    func encode(_ value: Int16) throws { try element { try $0.write(value) } }
    func encode(_ value: Int32) throws { try element { try $0.write(value) } }
    func encode(_ value: Int64) throws { try element { try $0.write(value) } }
    func encode(_ value: Int128) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt8) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt16) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt32) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt64) throws { try element { try $0.write(value) } }
    func encode(_ value: UInt128) throws { try element { try $0.write(value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        try failable { segment, index in try segment.write(value, .index(index)) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(BufferKeyedContainer<Nested>(encoder: nested(.keyed)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { BufferUnkeyedContainer(encoder: nested(.unkeyed)) }

    func superEncoder() -> any Encoder { nested(.undecided) }

    private func nested(_ kind: EncodingFrame.Kind) -> BufferEncoder {
        segment.nested(
            kind, frame: encoder.frame, serial: encoder.serial, key: JSONKey(index: count), isMember: false)
    }
}
