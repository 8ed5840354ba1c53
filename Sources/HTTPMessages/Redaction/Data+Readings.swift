package import Foundation

extension Data {
    /// The bytes as they are, and decoded, to search them for a secret in each of its spellings.
    ///
    /// Percent-encoding, the escapes of JSON and the character references of XML are decoded: each kind alone, and all
    /// together.
    package var readings: [Data] {
        let marks = "%\\&".utf8.filter { contains($0) }
        let ways: [[UInt8]] = marks.map { [$0] } + (marks.count > 1 ? [marks] : [])
        return [self] + ways.map { withoutEscapes($0) }
    }

    /// - Parameter marks: the first bytes of the escapes that are replaced.
    private func withoutEscapes(_ marks: [UInt8]) -> Data {
        let bytes = [UInt8](self)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if marks.contains(bytes[index]), let (characters, end) = bytes.escape(at: index) {
                output += characters
                index = end
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return Data(output)
    }
}

extension [UInt8] {
    /// The characters of an escape, and its end; nil for an invalid one.
    fileprivate func escape(at start: Int) -> ([UInt8], Int)? {
        switch self[start] {
        case UInt8(ascii: "%"): return self[(start + 1)...].escapedByte.map { ([$0], start + 3) }
        case UInt8(ascii: "&"):
            // No longer than any reference by number.
            guard let end = self[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = String(decoding: self[(start + 1)..<end], as: UTF8.self)
            return Unicode.Scalar(referredToBy: name).map { (Array(String($0).utf8), end + 1) }
        default:
            // Two of them may be one character.
            var units: [UInt16] = []
            var end = start
            while end + 5 < count, self[end] == .backslash, self[end + 1] == UInt8(ascii: "u"),
                let unit = UInt16(String(decoding: self[(end + 2)..<(end + 6)], as: UTF8.self), radix: 16)
            {
                units.append(unit)
                end += 6
            }
            if !units.isEmpty { return (Array(String(decoding: units, as: UTF16.self).utf8), end) }
            return start + 1 < count ? ([self[start + 1]], start + 2) : nil
        }
    }
}

extension Unicode.Scalar {
    /// The character of a reference such as `amp`, `#45` or `#x2D`; nil for the other names of HTML.
    fileprivate init?(referredToBy name: String) {
        let names: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let scalar = names[name] {
            self = scalar
            return
        }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number) else { return nil }
        self = scalar
    }
}
