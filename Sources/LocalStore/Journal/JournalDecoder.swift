import StoreCore

/// Bounds-checked reader for the fields of journal records; returns nil at the end of the bytes.
struct JournalDecoder {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { number() }

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let number = rest.loadUnaligned(as: Number.self)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
        return Number(littleEndian: number)
    }

    mutating func bytes() -> UnsafeRawBufferPointer? {
        guard let count: UInt32 = number(), rest.count >= Int(count) else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
        return bytes
    }

    mutating func value() -> SQLValue? {
        guard let kind = byte().flatMap(StoreValue.Kind.init) else { return nil }
        switch kind {
        case .null: return .null
        case .integer: return number().map { .integer($0) }
        case .real: return number().map { .real(Double(bitPattern: $0)) }
        case .text: return bytes().map { .text(ArraySlice($0)) }
        case .blob: return bytes().map { .blob(ArraySlice($0)) }
        }
    }
}
