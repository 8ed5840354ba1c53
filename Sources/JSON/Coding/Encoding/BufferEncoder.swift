/// Encoder of one value into an ``EncodingSegment``. It fits into an existential without an allocation.
struct BufferEncoder: Encoder {
    let segment: EncodingSegment
    private let place: Int32
    let serial: UInt32

    @inline(__always)
    init(_ segment: EncodingSegment, frame: Int, serial: UInt32) {
        self.segment = segment
        place = Int32(clamping: frame)
        self.serial = serial
    }

    /// Index of the frame.
    @inline(__always)
    var frame: Int { Int(place) }

    var codingPath: [any CodingKey] { segment.path(frame) }
    var userInfo: [CodingUserInfoKey: Any] { segment.coding.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        segment.open(.keyed, frame, serial)
        return KeyedEncodingContainer(BufferKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        segment.open(.unkeyed, frame, serial)
        return BufferUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        segment.open(.single, frame, serial)
        return BufferSingleValueContainer(encoder: self)
    }
}
