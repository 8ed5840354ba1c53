import Foundation

/// A type whose value is in one cell, without a decoder.
protocol CellScalar {
    /// Reads a value from a cell.
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Self
}

/// The reason why a cell is not a value of a type.
enum CellProblem: Error {
    /// The storage class is another one.
    case storageClass
    /// The number is outside the type's range.
    case range
    /// The text or blob has another format.
    case format
}

extension CellScalar where Self: FixedWidthInteger {
    @inline(__always)
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Self {
        guard cell.kind == .integer else { throw .storageClass }
        guard let value = Self(exactly: Int64(bitPattern: cell.bits)) else { throw .range }
        return value
    }
}

extension Int: CellScalar {}
extension Int8: CellScalar {}
extension Int16: CellScalar {}
extension Int32: CellScalar {}
extension Int64: CellScalar {}
extension Int128: CellScalar {}
extension UInt: CellScalar {}
extension UInt8: CellScalar {}
extension UInt16: CellScalar {}
extension UInt32: CellScalar {}
extension UInt64: CellScalar {}
extension UInt128: CellScalar {}

extension Bool: CellScalar {
    @inline(__always)
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Bool {
        guard cell.kind == .integer else { throw .storageClass }
        guard cell.bits <= 1 else { throw .range }
        return cell.bits == 1
    }
}

extension Double: CellScalar {
    @inline(__always)
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Double {
        switch cell.kind {
        case .real: return Double(bitPattern: cell.bits)
        case .integer: return Double(Int64(bitPattern: cell.bits))
        case .null, .text, .blob: throw .storageClass
        }
    }
}

extension Float: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Float {
        let number = try Double.decode(cell, coding)
        guard Float(number).isFinite || !number.isFinite else { throw .range }
        return Float(number)
    }
}

extension String: CellScalar {
    @inline(__always)
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> String {
        guard cell.kind == .text else { throw .storageClass }
        return String(decoding: cell.bytes, as: UTF8.self)
    }
}
