import Foundation

extension Data {
    /// The text in UTF-8 without its byte order mark, if it has another encoding or a mark; nil if it is fine as it is.
    ///
    /// As in Foundation: a byte order mark decides; without one, the zeros in the first four bytes do, since the first
    /// two characters of JSON are ASCII (RFC 4627, section 3). Invalid units are replaced, or refused by the scanner.
    var transcodedJSON: Data? {
        // Fast path: nearly every text starts with an ASCII character other than zero, and another one.
        let isUTF8 = withUnsafeBytes { bytes in
            guard let first = bytes.first else { return true }
            return first != 0 && first < 0xEF && !bytes.prefix(4).contains(0)
        }
        if isUTF8 { return nil }
        let start = [UInt8](prefix(4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return dropFirst(3) }
        if start.starts(with: [0, 0, 0xFE, 0xFF]) { return utf8(ofUTF32: dropFirst(4), isBigEndian: true) }
        if start.starts(with: [0xFF, 0xFE, 0, 0]) { return utf8(ofUTF32: dropFirst(4), isBigEndian: false) }
        if start.starts(with: [0xFE, 0xFF]) { return utf8(ofUTF16: dropFirst(2), isBigEndian: true) }
        if start.starts(with: [0xFF, 0xFE]) { return utf8(ofUTF16: dropFirst(2), isBigEndian: false) }
        switch start.map({ $0 == 0 }) {
        case [true, true, true, false]: return utf8(ofUTF32: self, isBigEndian: true)
        case [false, true, true, true]: return utf8(ofUTF32: self, isBigEndian: false)
        case [true, false, true, false], [true, false]: return utf8(ofUTF16: self, isBigEndian: true)
        case [false, true, false, true], [false, true]: return utf8(ofUTF16: self, isBigEndian: false)
        default: return nil
        }
    }

    private func utf8(ofUTF16 data: Data, isBigEndian: Bool) -> Data? {
        // An invalid byte at the end makes the scanner refuse half a unit.
        guard data.count.isMultiple(of: 2) else { return Data([0xFF]) }
        let units = units(of: data, size: 2, isBigEndian: isBigEndian).map { UInt16(truncatingIfNeeded: $0) }
        guard let text = String(validating: units, as: UTF16.self) else { return Data([0xFF]) }
        return Data(text.utf8)
    }

    private func utf8(ofUTF32 data: Data, isBigEndian: Bool) -> Data? {
        guard data.count.isMultiple(of: 4) else { return Data([0xFF]) }
        guard let text = String(validating: units(of: data, size: 4, isBigEndian: isBigEndian), as: UTF32.self) else {
            return Data([0xFF])
        }
        return Data(text.utf8)
    }

    private func units(of data: Data, size: Int, isBigEndian: Bool) -> [UInt32] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count, by: size).map { start in
            (0..<size).reduce(0) { unit, index in
                unit << 8 | UInt32(bytes[isBigEndian ? start + index : start + size - 1 - index])
            }
        }
    }
}
