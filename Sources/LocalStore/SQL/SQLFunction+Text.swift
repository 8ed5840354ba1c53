import StoreCore

extension SQLFunction {
    static func mapped(_ value: SQLValue, _ change: (UInt8) -> UInt8) -> SQLValue {
        value.textValue.map { .text(ArraySlice($0.map(change))) } ?? .null
    }

    static func length(_ value: SQLValue) -> SQLValue {
        switch value {
        case .null: .null
        case .blob(let bytes): .integer(Int64(bytes.count))
        case .text(let bytes): .integer(Int64(SQLCharacters.count(bytes.upToNUL)))
        default: .integer(Int64(value.textValue?.count ?? 0))
        }
    }

    /// - Parameter limit: maximum length of the result.
    static func hexadecimal(
        _ bytes: ArraySlice<UInt8>, limit: Int = SQLValue.maximumLength
    ) throws(StoreError) -> ArraySlice<UInt8> {
        try SQLValue.checkLength(bytes.count * 2, limit: limit)
        let digits = Array("0123456789ABCDEF".utf8)
        return ArraySlice(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// `char`. As in SQLite, a surrogate is encoded as three bytes, although that is not valid UTF-8.
    static func characters(_ values: [SQLValue]) -> ArraySlice<UInt8> {
        var text: ArraySlice<UInt8> = []
        for value in values {
            let code = UInt32(exactly: value.integerValue).flatMap { $0 <= 0x10FFFF ? $0 : nil } ?? 0xFFFD
            func tail(_ shift: UInt32) -> UInt8 { UInt8(code >> shift & 0x3F) | 0x80 }
            switch code {
            case ..<0x80: text.append(UInt8(code))
            case ..<0x800: text += [UInt8(code >> 6) | 0xC0, tail(0)]
            case ..<0x10000: text += [UInt8(code >> 12) | 0xE0, tail(6), tail(0)]
            default: text += [UInt8(code >> 18) | 0xF0, tail(12), tail(6), tail(0)]
            }
        }
        return text
    }

    /// `unicode`: the first character's code point.
    static func code(of text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        return Int64(SQLCharacters.code(of: text[..<SQLCharacters.index(after: text.startIndex, in: text)]))
    }

    /// `instr`: 1-based position of the first occurrence, in characters, or in bytes if both are blobs.
    ///
    /// As in SQLite, a continuation byte is no character here, also where it follows no other byte.
    static func position(of needle: SQLValue, in haystack: SQLValue) -> SQLValue {
        guard let text = haystack.textValue, let part = needle.textValue else { return .null }
        guard let first = part.first else { return .integer(1) }
        let isText = !(haystack.isBlob && needle.isBlob)
        var index = text.startIndex
        var position: Int64 = 1
        while text.endIndex - index >= part.count {
            if text[index] == first, text[index...].starts(with: part) { return .integer(position) }
            index += 1
            if isText { while index < text.endIndex, text[index] & 0xC0 == 0x80 { index += 1 } }
            position += 1
        }
        return .integer(0)
    }

    static func replaced(_ values: [SQLValue]) throws(StoreError) -> SQLValue {
        guard let text = values[0].textValue, let part = values[1].textValue else { return .null }
        guard let first = part.first, first != 0 else {
            // Unchanged, except that SQLite has converted a blob to text by now.
            return values[0].isBlob ? .text(text) : values[0]
        }
        guard let replacement = values[2].textValue else { return .null }
        /// The start of the next occurrence.
        func nextMatch(from start: Int) -> Int? {
            var index = start
            while index < text.endIndex {
                if text[index] == first, text[index...].starts(with: part) { return index }
                index += 1
            }
            return nil
        }
        var count = text.count
        var index = text.startIndex
        while let match = nextMatch(from: index) {
            count += replacement.count - part.count
            index = match + part.count
        }
        try SQLValue.checkLength(count)
        var result: ArraySlice<UInt8> = []
        result.reserveCapacity(count)
        index = text.startIndex
        while let match = nextMatch(from: index) {
            result += text[index..<match]
            result += replacement
            index = match + part.count
        }
        result += text[index...]
        return .text(result)
    }

    static func trimmed(_ values: [SQLValue], left: Bool, right: Bool) -> SQLValue {
        guard var text = values[0].textValue else { return .null }
        var characters: [ArraySlice<UInt8>] = [[0x20]]
        if values.count > 1 {
            guard let set = values[1].textValue?.upToNUL else { return .null }
            characters = []
            var index = set.startIndex
            while index < set.endIndex {
                let end = SQLCharacters.index(after: index, in: set)
                characters.append(set[index..<end])
                index = end
            }
        }
        if left { while let match = characters.first(where: text.starts) { text = text.dropFirst(match.count) } }
        if right {
            while let match = characters.first(where: { text.count >= $0.count && text.suffix($0.count) == $0 }) {
                text = text.dropLast(match.count)
            }
        }
        return .text(text)
    }

    /// `substr`, in characters, or in bytes for a blob.
    static func part(_ values: [SQLValue]) -> SQLValue {
        if values.dropFirst().contains(where: \.isNull) { return .null }
        let isBlob = values[0].isBlob
        guard let bytes = isBlob ? values[0].textValue : values[0].textValue?.upToNUL else { return .null }
        if isBlob, bytes.isEmpty { return .null }
        var start = Int(Int32(truncatingIfNeeded: values[1].integerValue))
        var count = values.count > 2 ? Int(Int32(truncatingIfNeeded: values[2].integerValue)) : 1_000_000_000
        let isBackward = count < 0
        count = Swift.abs(count)
        let length = start < 0 ? (isBlob ? bytes.count : SQLCharacters.count(bytes)) : 0
        if start < 0 {
            start += length
            if start < 0 {
                count = Swift.max(0, count + start)
                start = 0
            }
        } else if start > 0 {
            start -= 1
        } else if count > 0 {
            count -= 1
        }
        if isBackward {
            start -= count
            if start < 0 {
                count += start
                start = 0
            }
        }
        if isBlob { return .blob(bytes.dropFirst(start).prefix(count)) }
        var first = bytes.startIndex
        while start > 0, first < bytes.endIndex {
            first = SQLCharacters.index(after: first, in: bytes)
            start -= 1
        }
        var end = first
        while count > 0, end < bytes.endIndex {
            end = SQLCharacters.index(after: end, in: bytes)
            count -= 1
        }
        return .text(bytes[first..<end])
    }
}
