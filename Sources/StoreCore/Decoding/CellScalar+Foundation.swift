import Foundation

extension Data: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Data {
        guard cell.kind == .blob else { throw .storageClass }
        return Data(cell.bytes)
    }
}

extension Date: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Date {
        let date: Date?
        switch cell.kind {
        case .text:
            guard let date = SQLiteDate.date(cell.bytes) else { throw .format }
            return date
        case .integer: date = coding.dates.date(Int64(bitPattern: cell.bits))
        case .real: date = coding.dates.date(Double(bitPattern: cell.bits))
        case .null, .blob: throw .storageClass
        }
        guard let date else { throw .range }
        return date
    }
}

extension UUID: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> UUID {
        let uuid: UUID?
        switch cell.kind {
        case .text: uuid = UUID(hexadecimal: cell.bytes)
        case .blob: uuid = cell.bytes.count == 16 ? UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self)) : nil
        case .null, .integer, .real: throw .storageClass
        }
        guard let uuid else { throw .format }
        return uuid
    }

    /// The UUID of a text with hyphens, in any case.
    private init?(hexadecimal text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &uuid) { bytes in
            var index = 0
            for place in bytes.indices {
                if place == 4 || place == 6 || place == 8 || place == 10 {
                    guard text[index] == UInt8(ascii: "-") else { return false }
                    index += 1
                }
                guard let high = Self.digit(text[index]), let low = Self.digit(text[index + 1]) else { return false }
                bytes[place] = high << 4 | low
                index += 2
            }
            return true
        }
        guard isValid else { return nil }
        self.init(uuid: uuid)
    }

    @inline(__always)
    private static func digit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

extension URL: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> URL {
        guard let url = URL(string: try String.decode(cell, coding)) else { throw .format }
        return url
    }
}

extension Decimal: CellScalar {
    static func decode(_ cell: StoreCell, _ coding: StoreCoding) throws(CellProblem) -> Decimal {
        switch cell.kind {
        case .integer: return Decimal(Int64(bitPattern: cell.bits))
        case .real:
            // The shortest text that gives the same number; Decimal's own conversion adds digits.
            let number = Double(bitPattern: cell.bits)
            guard number.isFinite, let decimal = Decimal(string: "\(number)", locale: nil), !decimal.isNaN else {
                throw .range
            }
            return decimal
        case .text:
            let text = try String.decode(cell, coding)
            guard isNumber(text), let decimal = Decimal(string: text, locale: nil), !decimal.isNaN else {
                throw .format
            }
            return decimal
        case .null, .blob: throw .storageClass
        }
    }

    /// True for a decimal number with an optional sign, fraction and exponent; Foundation ignores what follows one.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skipDigits() -> Int {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.count
        }
        func skip(_ bytes: UInt8...) -> Bool {
            guard let first = rest.first, bytes.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
        var digits = skipDigits()
        if skip(UInt8(ascii: ".")) { digits += skipDigits() }
        guard digits > 0 else { return false }
        if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
