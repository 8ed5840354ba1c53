import Foundation
import StoreCore

/// The inner loops of filters: each one compacts a selection vector in place.
///
/// `block` holds row numbers of one block of 1024 rows, and `count` says how many are still selected. A kernel moves
/// the rows that pass to the front, in order.
enum MemoryKernel {
    private static let integer = StoreValue.Kind.integer.rawValue
    private static let real = StoreValue.Kind.real.rawValue
    private static let text = StoreValue.Kind.text.rawValue
    private static let blob = StoreValue.Kind.blob.rawValue

    /// - Returns: number of rows that pass.
    @inline(__always)
    static func keep(_ block: inout [Int32], _ count: Int, where isWanted: (Int) -> Bool) -> Int {
        block.withUnsafeMutableBufferPointer { block in
            var kept = 0
            for index in 0..<count {
                let row = block[index]
                // Branch-free: always written, and kept only if the count advances. There is no branch to mispredict.
                block[kept] = row
                kept &+= isWanted(Int(row)) ? 1 : 0
            }
            return kept
        }
    }

    @inline(__always)
    private static func keep<Number: Comparable>(
        _ block: inout [Int32], _ count: Int, _ comparison: SQLComparison, _ constant: Number,
        _ number: (Int) -> Number
    ) -> Int {
        switch comparison {
        case .equal, .same: keep(&block, count) { number($0) == constant }
        case .notEqual, .different: keep(&block, count) { number($0) != constant }
        case .less: keep(&block, count) { number($0) < constant }
        case .lessOrEqual: keep(&block, count) { number($0) <= constant }
        case .greater: keep(&block, count) { number($0) > constant }
        case .greaterOrEqual: keep(&block, count) { number($0) >= constant }
        }
    }

    /// The storage classes that occur in the block of the first row.
    private static func mask(_ column: borrowing MemoryColumn, _ block: [Int32]) -> UInt8 {
        column.masks[Int(block[0]) / MemoryColumn.blockSize]
    }

    static func compare(
        _ rowids: [Int64], _ comparison: SQLComparison, _ constant: Int64, _ block: inout [Int32], _ count: Int
    ) -> Int {
        rowids.withUnsafeBufferPointer { rowids in keep(&block, count, comparison, constant) { rowids[$0] } }
    }

    static func compare(
        _ column: MemoryColumn, _ comparison: SQLComparison, _ constant: Int64, _ block: inout [Int32], _ count: Int
    ) -> Int {
        let mask = mask(column, block)
        return column.bits.withUnsafeBufferPointer { bits in
            if mask == MemoryColumn.mask(.integer) {
                return keep(&block, count, comparison, constant) { Int64(bitPattern: bits[$0]) }
            }
            return mixed(column, comparison, &block, count) { row, kind in
                if kind == integer {
                    let value = Int64(bitPattern: bits[row])
                    return value < constant ? -1 : value > constant ? 1 : 0
                }
                return kind == real ? -SQLValue.order(constant, Double(bitPattern: bits[row])) : 1
            }
        }
    }

    static func compare(
        _ column: MemoryColumn, _ comparison: SQLComparison, _ constant: Double, _ block: inout [Int32], _ count: Int
    ) -> Int {
        let mask = mask(column, block)
        return column.bits.withUnsafeBufferPointer { bits in
            if mask == MemoryColumn.mask(.real) {
                return keep(&block, count, comparison, constant) { Double(bitPattern: bits[$0]) }
            }
            return mixed(column, comparison, &block, count) { row, kind in
                if kind == real {
                    let value = Double(bitPattern: bits[row])
                    return value < constant ? -1 : value > constant ? 1 : 0
                }
                return kind == integer ? SQLValue.order(Int64(bitPattern: bits[row]), constant) : 1
            }
        }
    }

    static func compare(
        _ column: MemoryColumn, _ comparison: SQLComparison, _ constant: [UInt8], _ block: inout [Int32], _ count: Int
    ) -> Int {
        let length = UInt64(constant.count)
        return column.bits.withUnsafeBufferPointer { bits in
            column.arena.withUnsafeBytes { arena in
                constant.withUnsafeBytes { constant in
                    let isEquality = comparison == .equal
                    return mixed(column, comparison, &block, count) { row, kind in
                        guard kind == text else { return kind == blob ? 1 : -1 }
                        let cell = bits[row]
                        if isEquality, cell & 0xFFFF_FFFF != length { return 1 }
                        return SQLValue.order(Self.bytes(cell, arena), constant)
                    }
                }
            }
        }
    }

    /// Compares cells of any storage class; NULL never passes.
    /// - Parameter order: compares a cell that is not NULL with the constant; negative, zero or positive.
    @inline(__always)
    private static func mixed(
        _ column: MemoryColumn, _ comparison: SQLComparison, _ block: inout [Int32], _ count: Int,
        _ order: (Int, UInt8) -> Int
    ) -> Int {
        column.kinds.withUnsafeBufferPointer { kinds in
            keep(&block, count) { row in
                let kind = kinds[row]
                return kind != StoreValue.Kind.null.rawValue && comparison.holds(order(row, kind))
            }
        }
    }

    static func contains(
        _ column: MemoryColumn, _ constants: Set<Int64>, _ block: inout [Int32], _ count: Int
    ) -> Int {
        let few = constants.count <= 8 ? Array(constants) : []
        return column.bits.withUnsafeBufferPointer { bits in
            mixed(column, .equal, &block, count) { row, kind in
                let value: Int64
                if kind == integer {
                    value = Int64(bitPattern: bits[row])
                } else if kind == real, let whole = Int64(exactly: Double(bitPattern: bits[row])) {
                    value = whole
                } else {
                    return 1
                }
                return (few.isEmpty ? constants.contains(value) : few.contains(value)) ? 0 : 1
            }
        }
    }

    static func contains(
        _ rowids: [Int64], _ constants: Set<Int64>, _ block: inout [Int32], _ count: Int
    ) -> Int {
        rowids.withUnsafeBufferPointer { rowids in keep(&block, count) { constants.contains(rowids[$0]) } }
    }

    static func like(
        _ column: MemoryColumn, _ pattern: [UInt8], _ escape: [UInt8], _ isNegated: Bool, _ block: inout [Int32],
        _ count: Int
    ) -> Int {
        column.bits.withUnsafeBufferPointer { bits in
            column.arena.withUnsafeBytes { arena in
                pattern.withUnsafeBytes { pattern in
                    escape.withUnsafeBytes { escape in
                        mixed(column, .equal, &block, count) { row, kind in
                            var isLike = false
                            switch kind {
                            case text:
                                let bytes = Self.bytes(bits[row], arena).upToNUL
                                isLike = SQLPattern.like(pattern, bytes, escape: escape)
                            case integer, real:
                                let text = column.value(at: row).textValue ?? []
                                isLike = text.withUnsafeBytes { SQLPattern.like(pattern, $0, escape: escape) }
                            default: break
                            }
                            return isLike != isNegated ? 0 : 1
                        }
                    }
                }
            }
        }
    }

    static func like(
        _ column: MemoryColumn, _ search: SQLPattern.Search, _ isNegated: Bool, _ block: inout [Int32], _ count: Int
    ) -> Int {
        column.bits.withUnsafeBufferPointer { bits in
            column.arena.withUnsafeBytes { arena in
                search.withMatcher { matcher in
                    mixed(column, .equal, &block, count) { row, kind in
                        var isLike = false
                        switch kind {
                        case text: isLike = matcher.matches(Self.bytes(bits[row], arena))
                        case integer, real:
                            let text = column.value(at: row).textValue ?? []
                            isLike = text.withUnsafeBytes { matcher.matches($0) }
                        default: break
                        }
                        return isLike != isNegated ? 0 : 1
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func bytes(_ cell: UInt64, _ arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let offset = Int(cell >> 32)
        return UnsafeRawBufferPointer(rebasing: arena[offset..<offset + Int(cell & 0xFFFF_FFFF)])
    }
}
