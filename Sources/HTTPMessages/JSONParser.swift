public import Foundation

extension JSONValue {
    /// Parses JSON in UTF-8, strictly (RFC 8259): no comments, no trailing commas, one value.
    /// - Throws: `HTTPMessageError` (`invalidJSON`) with the byte offset of the first error.
    public init(parsing data: Data) throws(HTTPMessageError) {
        let result = data.withUnsafeBytes { bytes in
            Result<JSONValue, HTTPMessageError> { () throws(HTTPMessageError) in
                var parser = JSONParser(bytes: bytes.bindMemory(to: UInt8.self))
                return try parser.parse()
            }
        }
        self = try result.get()
    }

    /// Parses a JSON string, strictly (RFC 8259).
    /// - Throws: `HTTPMessageError` (`invalidJSON`) with the offset of the first error in UTF-8 bytes.
    public init(parsing text: String) throws(HTTPMessageError) { try self.init(parsing: Data(text.utf8)) }
}

/// Recursive-descent parser of JSON over UTF-8 bytes.
///
/// `JSONDecoder` does not distinguish `1` from `1.0`, and is five times slower for a small document.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0

    /// Maximum nesting depth. A thread with a 512 KiB stack can parse, write, compare and pass such a value to
    /// Foundation's encoder, also in a debug build.
    static let maximumDepth = 100

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func parse() throws(HTTPMessageError) -> JSONValue {
        skipWhitespace()
        let value = try parseValue()
        skipWhitespace()
        guard position == bytes.count else { throw syntaxError("unexpected characters after the value") }
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
        case nil: throw syntaxError("unexpected end, expected a value")
        default: throw syntaxError("unexpected character, expected a value")
        }
    }

    private mutating func parseObject() throws(HTTPMessageError) -> [String: JSONValue] {
        try openContainer()
        defer { depth -= 1 }
        if consume("}") { return [:] }
        // Members are collected first: a dictionary of known size does not rehash its keys while it grows.
        var members: [(String, JSONValue)] = []
        members.reserveCapacity(8)
        repeat {
            skipWhitespace()
            guard peek == UInt8(ascii: "\"") else { throw syntaxError("expected a quoted member name") }
            let name = try parseString()
            skipWhitespace()
            guard consume(":") else { throw syntaxError("expected a colon") }
            skipWhitespace()
            members.append((name, try parseValue()))
            skipWhitespace()
        } while consume(",")
        guard consume("}") else { throw syntaxError("expected a comma or }") }
        var object = [String: JSONValue](minimumCapacity: members.count)
        for (name, value) in members { object[name] = value }
        return object
    }

    private mutating func parseArray() throws(HTTPMessageError) -> [JSONValue] {
        try openContainer()
        defer { depth -= 1 }
        if consume("]") { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipWhitespace()
            elements.append(try parseValue())
            skipWhitespace()
        } while consume(",")
        guard consume("]") else { throw syntaxError("expected a comma or ]") }
        return elements
    }

    /// Consumes the opening bracket of an array or object.
    private mutating func openContainer() throws(HTTPMessageError) {
        guard depth < Self.maximumDepth else { throw syntaxError("nested more than \(Self.maximumDepth) levels deep") }
        depth += 1
        position += 1
        skipWhitespace()
    }

    private mutating func parse(_ word: StaticString, as value: JSONValue) throws(HTTPMessageError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, (position..<end).allSatisfy({ bytes[$0] == word.utf8Start[$0 - position] }) else {
            throw syntaxError("expected \(word)")
        }
        position = end
        return value
    }

    private mutating func parseNumber() throws(HTTPMessageError) -> JSONValue {
        let start = position
        let isNegative = consume("-")
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
        guard position > firstDigit else { throw syntaxError("expected a digit") }
        guard bytes[firstDigit] != UInt8(ascii: "0") || position == firstDigit + 1 else {
            throw syntaxError("unexpected leading zero")
        }
        var isWhole = true
        if consume(".") {
            isWhole = false
            try skipDigits()
        }
        if consume("e") || consume("E") {
            isWhole = false
            _ = consume("+") || consume("-")
            try skipDigits()
        }
        if isWhole, !overflows {
            if !isNegative, magnitude <= UInt64(Int64.max) { return .integer(Int64(magnitude)) }
            // -0 is a distinct Double, so it does not become an integer.
            if isNegative, magnitude > 0, magnitude <= UInt64(Int64.max) + 1 {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw syntaxError("number out of range", at: start) }
        return .number(number)
    }

    private mutating func skipDigits() throws(HTTPMessageError) {
        guard peekDigit != nil else { throw syntaxError("expected a digit") }
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
            case 0..<0x20: throw syntaxError("unescaped control character in a string")
            default: position += 1
            }
        }
        throw syntaxError("unterminated string")
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
            case 0..<0x20: throw syntaxError("unescaped control character in a string")
            default:
                unescaped.append(byte)
                position += 1
            }
        }
        throw syntaxError("unterminated string")
    }

    private mutating func parseEscape(into unescaped: inout [UInt8]) throws(HTTPMessageError) {
        guard let escape = peek else { throw syntaxError("unterminated escape") }
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
                guard consume("\\"), consume("u") else { throw syntaxError("unpaired surrogate") }
                let trail = try parseHex()
                guard UTF16.isTrailSurrogate(trail) else { throw syntaxError("unpaired surrogate") }
                value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
            }
            guard let scalar = Unicode.Scalar(value) else { throw syntaxError("unpaired surrogate") }
            unescaped.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
        default: throw syntaxError("unknown escape")
        }
    }

    private mutating func parseHex() throws(HTTPMessageError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw syntaxError("expected four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private func text(_ slice: Slice<UnsafeBufferPointer<UInt8>>, at start: Int) throws(HTTPMessageError) -> String {
        // Fast path: ASCII needs no UTF-8 validation, which makes most strings several times faster.
        if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw syntaxError("invalid UTF-8", at: start)
        }
        return text
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var peekDigit: UInt8? {
        guard let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return byte - UInt8(ascii: "0")
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func syntaxError(_ reason: String, at offset: Int? = nil) -> HTTPMessageError {
        HTTPMessageError(.invalidJSON, "Invalid JSON at byte \(offset ?? position): \(reason).")
    }
}
