/// Container of the members of an object, in a segment.
struct BufferKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: BufferEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private var segment: EncodingSegment { encoder.segment }

    /// Writes a member; nothing, if its value fails.
    @inline(__always)
    private func member(_ key: Key, _ write: (EncodingSegment) throws -> Void) throws {
        try segment.startMember(key.stringValue, encoder.frame, encoder.serial)
        try write(segment)
    }

    /// Writes a member whose value may fail. Then nothing of it remains.
    @inline(__always)
    private func failable(_ key: Key, _ write: (EncodingSegment, EncodingFrame.Key) throws -> Void) throws {
        let name = key.stringValue
        try segment.check(encoder.frame, encoder.serial)
        let mark = segment.mark
        do {
            let start = try segment.startMember(name, encoder.frame, encoder.serial)
            try write(segment, .name(start))
        } catch {
            segment.undo(to: mark)
            throw segment.located(error, key)
        }
    }

    func encodeNil(forKey key: Key) throws { try member(key) { try $0.writeNull() } }
    func encode(_ value: Bool, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: String, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Double, forKey key: Key) throws {
        try failable(key) { segment, _ in try segment.write(value) }
    }
    func encode(_ value: Float, forKey key: Key) throws { try failable(key) { segment, _ in try segment.write(value) } }
    func encode(_ value: Int, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Int8, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Int16, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Int32, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Int64, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: Int128, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try member(key) { try $0.write(value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { try member(key) { try $0.write(value) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try failable(key) { segment, place in try segment.write(value, place) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(BufferKeyedContainer<Nested>(encoder: nested(.keyed, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        BufferUnkeyedContainer(encoder: nested(.unkeyed, key))
    }

    func superEncoder() -> any Encoder { nested(.undecided, JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(.undecided, key) }

    private func nested(_ kind: EncodingFrame.Kind, _ key: some CodingKey) -> BufferEncoder {
        segment.nested(kind, frame: encoder.frame, serial: encoder.serial, key: key, isMember: true)
    }
}
