import Foundation

extension SQLValue {
    /// Three-way comparison in SQLite's order: NULL, numbers by value, texts by bytes, blobs by bytes.
    /// - Returns: negative, zero or positive.
    static func order(_ left: SQLValue, _ right: SQLValue) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.real(let left), .real(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.integer(let left), .real(let right)): order(left, right)
        case (.real(let left), .integer(let right)): -order(right, left)
        case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)): order(left, right)
        default: left.rank - right.rank
        }
    }

    /// Compares an integer and a REAL exactly, without rounding the integer to a double.
    static func order(_ left: Int64, _ right: Double) -> Int {
        if right < -9_223_372_036_854_775_808 { return 1 }
        if right >= 9_223_372_036_854_775_808 { return -1 }
        let whole = Int64(right)
        if left != whole { return left < whole ? -1 : 1 }
        let rest = right - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    static func order(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in order(left, right) } }
    }

    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        if count > 0, let first = left.baseAddress, let second = right.baseAddress {
            let difference = memcmp(first, second, count)
            if difference != 0 { return Int(difference) }
        }
        return left.count - right.count
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
