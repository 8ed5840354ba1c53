import Foundation

/// Cells of a row with the bytes of their texts and blobs, which are freed in `deinit`.
final class RowCells {
    let cells: UnsafeMutableBufferPointer<StoreCell>
    private let arena: UnsafeMutableRawBufferPointer

    /// - Parameter count: the number of cells; those without a value are null.
    init(_ values: ArraySlice<StoreValue>, count: Int) {
        cells = .allocate(capacity: count)
        cells.initialize(repeating: .null)
        arena = .allocate(byteCount: values.reduce(0) { $0 + $1.byteCount }, alignment: 1)
        var used = 0
        for (index, value) in values.enumerated() {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: arena[used..<used + value.byteCount])
            used += bytes.count
            cells[index] = value.cell(copyingBytesTo: bytes)
        }
    }

    deinit {
        cells.deallocate()
        arena.deallocate()
    }
}

extension StoreValue {
    /// Length of a text in UTF-8, or of a blob; 0 for other values.
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let data): data.count
        case .null, .integer, .real: 0
        }
    }

    /// - Parameter bytes: memory for ``byteCount`` bytes, which the cell borrows.
    fileprivate func cell(copyingBytesTo bytes: UnsafeMutableRawBufferPointer) -> StoreCell {
        switch self {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .real(let number): return number.isNaN ? .null : .real(number)
        case .text(let text):
            bytes.copyBytes(from: text.utf8)
            return .text(UnsafeRawBufferPointer(bytes))
        case .blob(let data):
            bytes.copyBytes(from: data)
            return .blob(UnsafeRawBufferPointer(bytes))
        }
    }
}
