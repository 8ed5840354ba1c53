import Foundation

/// A byte that its charset does not allow at its place.
struct InvalidByte: Error {
    /// How many bytes stand before it.
    let offset: Int
}

extension Charset {
    /// The text of bytes, all of which count: a byte order mark is not skipped here.
    func text(of data: Data, invalidBytes: InvalidBytePolicy) throws(InvalidByte) -> String {
        switch form {
        case .utf8: try Self.textOfUTF8(data, invalidBytes)
        case .utf16LittleEndian: try Self.textOfUTF16([UInt8](data), isBigEndian: false, invalidBytes)
        case .utf16BigEndian: try Self.textOfUTF16([UInt8](data), isBigEndian: true, invalidBytes)
        case .singleByte(let charset): try Self.text(of: data, in: charset, invalidBytes)
        }
    }

    private static func textOfUTF8(_ data: Data, _ policy: InvalidBytePolicy) throws(InvalidByte) -> String {
        if policy == .replaced { return String(decoding: data, as: UTF8.self) }
        if let text = String(validating: data, as: UTF8.self) { return text }
        throw InvalidByte(offset: firstInvalidUnit(of: data, as: UTF8.self) ?? 0)
    }

    private static func textOfUTF16(
        _ bytes: [UInt8], isBigEndian: Bool, _ policy: InvalidBytePolicy
    ) throws(InvalidByte) -> String {
        let high = isBigEndian ? 0 : 1
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
        }
        let isCut = bytes.count % 2 == 1
        if policy == .refused {
            if let unit = firstInvalidUnit(of: units, as: UTF16.self) { throw InvalidByte(offset: 2 * unit) }
            if isCut { throw InvalidByte(offset: bytes.count - 1) }
        }
        let text = String(decoding: units, as: UTF16.self)
        // Half a pair and half a unit at the end are one fault, and the half pair was replaced already.
        let isReplaced = units.last.map(UTF16.isLeadSurrogate) ?? false
        return isCut && !isReplaced ? text + "\u{FFFD}" : text
    }

    private static func text(
        of data: Data, in charset: SingleByteCharset, _ policy: InvalidBytePolicy
    ) throws(InvalidByte) -> String {
        if data.allSatisfy({ $0 < 0x80 }) { return String(decoding: data, as: UTF8.self) }
        let table = charset.table
        let units = data.map { $0 < 0x80 ? UInt16($0) : table[Int($0) - 0x80] }
        if policy == .refused, let offset = units.firstIndex(of: SingleByteCharset.undefined) {
            throw InvalidByte(offset: offset)
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func firstInvalidUnit<Encoding: Unicode.Encoding>(
        of units: some Sequence<Encoding.CodeUnit>, as encoding: Encoding.Type
    ) -> Int? {
        var parser = Encoding.ForwardParser()
        var iterator = units.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}
