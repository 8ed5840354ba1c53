import Foundation

/// Byte sequence that is invalid in its charset.
struct InvalidByte: Error {
    /// Byte offset of the sequence.
    let offset: Int
}

extension Charset {
    /// Decodes bytes; a byte order mark is decoded, not skipped.
    func text(of data: Data, invalidBytes: InvalidBytePolicy) throws(InvalidByte) -> String {
        switch form {
        case .utf8: try Self.textOfUTF8(data, invalidBytes)
        case .utf16LittleEndian: try Self.textOfUTF16([UInt8](data), isBigEndian: false, invalidBytes)
        case .utf16BigEndian: try Self.textOfUTF16([UInt8](data), isBigEndian: true, invalidBytes)
        case .singleByte(let charset): try Self.text(of: data, in: charset, invalidBytes)
        }
    }

    private static func textOfUTF8(_ data: Data, _ policy: InvalidBytePolicy) throws(InvalidByte) -> String {
        if policy == .replace { return String(decoding: data, as: UTF8.self) }
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
        let isTruncated = bytes.count % 2 == 1
        if policy == .fail {
            if let unit = firstInvalidUnit(of: units, as: UTF16.self) { throw InvalidByte(offset: 2 * unit) }
            if isTruncated { throw InvalidByte(offset: bytes.count - 1) }
        }
        let text = String(decoding: units, as: UTF16.self)
        // A trailing unpaired surrogate and half a code unit count as one error, and the surrogate is already replaced.
        let isReplaced = units.last.map(UTF16.isLeadSurrogate) ?? false
        return isTruncated && !isReplaced ? text + "\u{FFFD}" : text
    }

    private static func text(
        of data: Data, in charset: SingleByteCharset, _ policy: InvalidBytePolicy
    ) throws(InvalidByte) -> String {
        if data.allSatisfy({ $0 < 0x80 }) { return String(decoding: data, as: UTF8.self) }
        let table = charset.table
        let units = data.map { $0 < 0x80 ? UInt16($0) : table[Int($0) - 0x80] }
        if policy == .fail, let offset = units.firstIndex(of: SingleByteCharset.undefined) {
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
