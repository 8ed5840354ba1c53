import StoreCore

// Reads of grouping, which compares classes and payloads. `row` is not checked.
extension ColumnCells {
    @inline(__always)
    func bits(at row: Int) -> UInt64 { bits.unsafelyUnwrapped[row] }

    @inline(__always)
    func kind(at row: Int) -> StoreValue.Kind {
        guard let kinds else { return .integer }
        return StoreValue.Kind(rawValue: kinds[row]) ?? .null
    }

    /// The bytes of a text or blob with this payload.
    @inline(__always)
    func bytes(_ bits: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: arena.map { $0 + Int(bits >> 32) }, count: Int(bits & 0xFFFF_FFFF))
    }
}
