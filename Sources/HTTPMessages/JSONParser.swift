public import Foundation

extension JSONValue {
    /// Reads JSON text in UTF-8, strictly (RFC 8259): no comments, no trailing commas, one value.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) with the offset of the first byte that is wrong.
    public init(parsing data: Data) throws(HTTPMessageError) {
        let result = data.withUnsafeBytes { bytes in
            Result<JSONValue, HTTPMessageError> { () throws(HTTPMessageError) in
                var parser = JSONParser(bytes: bytes.bindMemory(to: UInt8.self))
                return try parser.parse()
            }
        }
        self = try result.get()
    }

    /// Reads JSON text.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) with the offset of the first byte that is wrong.
    public init(parsing text: String) throws(HTTPMessageError) { try self.init(parsing: Data(text.utf8)) }
}

/// A recursive-descent parser over bytes.
///
/// `JSONDecoder` cannot tell `1` from `1.0`, and takes five times as long for a small answer.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0

    /// How deep lists and objects may be nested: what a thread of half a megabyte of stack can read, write, compare and
    /// hand to Foundation's encoder, in a debug build too.
    static let maximumDepth = 100

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func parse() throws(HTTPMessageError) -> JSONValue {
        skipBlanks()
        let value = try parseValue()
        skipBlanks()
        guard position == bytes.count else { throw fault("unexpected text after the value") }
        return value
    }

    private mutating func parseValue() throws(HTTPMessageError) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return .object(try parseObject())
        case UInt8(ascii: "["): return .array(try parseArray())
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parse("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parse("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parse("null", as: .null)
        case UInt8(ascii: "-")?: return try parseNumber()
        case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): return try parseNumber()
        case nil: throw fault("unexpected end, expected a value")
        default: throw fault("unexpected character, expected a value")
        }
    }

    private mutating func parseObject() throws(HTTPMessageError) -> [String: JSONValue] {
        try enter()
        defer { depth -= 1 }
        if take("}") { return [:] }
        // A dictionary that grows hashes its keys again and again, so it is made when its size is known.
        var members: [(String, JSONValue)] = []
        members.reserveCapacity(8)
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw fault("expected a name in quotes") }
            let name = try parseString()
            skipBlanks()
            guard take(":") else { throw fault("expected a colon") }
            skipBlanks()
            members.append((name, try parseValue()))
            skipBlanks()
        } while take(",")
        guard take("}") else { throw fault("expected a comma or }") }
        var object = [String: JSONValue](minimumCapacity: members.count)
        for (name, value) in members { object[name] = value }
        return object
    }

    private mutating func parseArray() throws(HTTPMessageError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        if take("]") { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipBlanks()
            elements.append(try parseValue())
            skipBlanks()
        } while take(",")
        guard take("]") else { throw fault("expected a comma or ]") }
        return elements
    }

    /// Begins a list or an object.
    private mutating func enter() throws(HTTPMessageError) {
        guard depth < Self.maximumDepth else { throw fault("nested more than \(Self.maximumDepth) levels deep") }
        depth += 1
        position += 1
        skipBlanks()
    }

    private mutating func parse(_ word: StaticString, as value: JSONValue) throws(HTTPMessageError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, (position..<end).allSatisfy({ bytes[$0] == word.utf8Start[$0 - position] }) else {
            throw fault("expected \(word)")
        }
        position = end
        return value
    }

    private mutating func parseNumber() throws(HTTPMessageError) -> JSONValue {
        let start = position
        let isNegative = take("-")
        let firstDigit = position
        var magnitude: UInt64 = 0
        var overflows = false
        while let digit = peekDigit {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            overflows = overflows || overflow || carry
            magnitude = sum
            position += 1
        }
        guard position > firstDigit else { throw fault("expected a digit") }
        guard bytes[firstDigit] != UInt8(ascii: "0") || position == firstDigit + 1 else {
            throw fault("unexpected leading zero")
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            try skipDigits()
        }
        if take("e") || take("E") {
            isWhole = false
            _ = take("+") || take("-")
            try skipDigits()
        }
        if isWhole, !overflows {
            if !isNegative, magnitude <= UInt64(Int64.max) { return .integer(Int64(magnitude)) }
            // Minus zero is a number of its own, which no integer is.
            if isNegative, magnitude > 0, magnitude <= UInt64(Int64.max) + 1 {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw fault("number out of range", at: start) }
        return .number(number)
    }

    private mutating func skipDigits() throws(HTTPMessageError) {
        guard peekDigit != nil else { throw fault("expected a digit") }
        while peekDigit != nil { position += 1 }
    }

    private mutating func parseString() throws(HTTPMessageError) -> String {
        position += 1
        let start = position
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return try text(bytes[start..<position], at: start)
            case UInt8(ascii: "\\"): return try parseEscapedString(from: start)
            case 0..<0x20: throw fault("unescaped control character in a string")
            default: position += 1
            }
        }
        throw fault("unterminated string")
    }

    private mutating func parseEscapedString(from start: Int) throws(HTTPMessageError) -> String {
        var unescaped = Array(bytes[start..<position])
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try unescaped.withUnsafeBufferPointer { buffer throws(HTTPMessageError) in
                    try text(buffer[...], at: start)
                }
            case UInt8(ascii: "\\"):
                position += 1
                try parseEscape(into: &unescaped)
            case 0..<0x20: throw fault("unescaped control character in a string")
            default:
                unescaped.append(byte)
                position += 1
            }
        }
        throw fault("unterminated string")
    }

    private mutating func parseEscape(into unescaped: inout [UInt8]) throws(HTTPMessageError) {
        guard let escape = peek else { throw fault("unterminated escape") }
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(escape)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try parseHex()
            var value = UInt32(unit)
            if UTF16.isLeadSurrogate(unit) {
                guard take("\\"), take("u") else { throw fault("unpaired surrogate") }
                let trail = try parseHex()
                guard UTF16.isTrailSurrogate(trail) else { throw fault("unpaired surrogate") }
                value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
            }
            guard let scalar = Unicode.Scalar(value) else { throw fault("unpaired surrogate") }
            unescaped.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
        default: throw fault("unknown escape")
        }
    }

    private mutating func parseHex() throws(HTTPMessageError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("expected four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private func text(_ slice: Slice<UnsafeBufferPointer<UInt8>>, at start: Int) throws(HTTPMessageError) -> String {
        // Most texts are ASCII, which needs no validation and is several times as fast without.
        if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw fault("invalid UTF-8", at: start)
        }
        return text
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var peekDigit: UInt8? {
        guard let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return byte - UInt8(ascii: "0")
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func fault(_ reason: String, at offset: Int? = nil) -> HTTPMessageError {
        HTTPMessageError(.invalidJSON, "Invalid JSON at byte \(offset ?? position): \(reason).")
    }
}
