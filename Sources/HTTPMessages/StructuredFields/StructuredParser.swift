import Foundation

/// Parser of structured fields (RFC 9651, section 4.2). Strict, as the RFC demands, and without recursion.
struct StructuredParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        skip(" ")
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ scalar: Unicode.Scalar) { while take(scalar) {} }

    private func fault(_ expected: String) -> HTTPMessageError {
        HTTPMessageError(
            .invalidStructuredField, "Malformed structured field at offset \(position): expected \(expected).")
    }

    /// Checks that nothing but spaces follows.
    mutating func finish() throws(HTTPMessageError) {
        skip(" ")
        guard next == nil else { throw fault("the end") }
    }

    /// Parses the members of a list or a dictionary up to the end.
    mutating func members(_ parse: (inout StructuredParser) throws(HTTPMessageError) -> Void) throws(HTTPMessageError) {
        guard next != nil else { return }
        while true {
            try parse(&self)
            skipWhitespace()
            guard next != nil else { return }
            guard take(",") else { throw fault("a comma") }
            skipWhitespace()
            guard next != nil else { throw fault("a member after the comma") }
        }
    }

    private mutating func skipWhitespace() { while next?.isHTTPWhitespace == true { position += 1 } }

    mutating func member() throws(HTTPMessageError) -> StructuredMember {
        guard take("(") else { return .item(try item()) }
        var items: [StructuredItem] = []
        while true {
            skip(" ")
            if take(")") { return .innerList(StructuredInnerList(items, parameters: try parameters())) }
            items.append(try item())
            guard next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else {
                throw fault("a space or a closing parenthesis")
            }
        }
    }

    mutating func item() throws(HTTPMessageError) -> StructuredItem {
        StructuredItem(try value(), parameters: try parameters())
    }

    mutating func parameters() throws(HTTPMessageError) -> StructuredParameters {
        var parameters: StructuredParameters = [:]
        while take(";") {
            skip(" ")
            let key = try key()
            parameters[key] = take("=") ? try value() : .bool(true)
        }
        return parameters
    }

    mutating func key() throws(HTTPMessageError) -> String {
        guard let first = next, first.startsStructuredKey else { throw fault("a key in lower case") }
        let start = position
        while let byte = next, byte.isInStructuredKey { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func value() throws(HTTPMessageError) -> StructuredValue {
        switch next {
        case UInt8(ascii: "\"")?: return .string(try string())
        case UInt8(ascii: ":")?: return .bytes(try data())
        case UInt8(ascii: "?")?: return .bool(try bool())
        case UInt8(ascii: "@")?: return .date(try date())
        case UInt8(ascii: "%")?: return .displayString(try displayString())
        case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return try number()
        case let byte? where byte.startsStructuredToken: return .token(token())
        default: throw fault("a value")
        }
    }

    private mutating func number() throws(HTTPMessageError) -> StructuredValue {
        let start = position
        let sign: Int64 = take("-") ? -1 : 1
        let whole = digits()
        guard !whole.isEmpty else { throw fault("a digit") }
        guard take(".") else {
            guard whole.count <= 15 else { throw fault(start, "an integer of at most 15 digits") }
            return .integer(sign * whole.number)
        }
        guard whole.count <= 12 else { throw fault(start, "a decimal of at most 12 digits before the period") }
        let fraction = digits()
        guard (1...3).contains(fraction.count) else { throw fault(start, "one to three decimals") }
        let scale: Int64 = [100, 10, 1][fraction.count - 1]
        let thousandths = whole.number * 1000 + fraction.number * scale
        return .decimal(Decimal(sign: sign < 0 ? .minus : .plus, exponent: -3, significand: Decimal(thousandths)))
    }

    private func fault(_ start: Int, _ expected: String) -> HTTPMessageError {
        var parser = self
        parser.position = start
        return parser.fault(expected)
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, byte.isDigit { position += 1 }
        return bytes[start..<position]
    }

    private mutating func string() throws(HTTPMessageError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    throw fault("a quote or a backslash after the backslash")
                }
                position += 1
                text.append(escaped)
            case 0x20...0x7E: text.append(byte)
            default: throw fault(position - 1, "a printable ASCII character in a string")
            }
        }
        throw fault("a closing quote")
    }

    private mutating func displayString() throws(HTTPMessageError) -> String {
        position += 1
        guard take("\"") else { throw fault("a quote after the percent sign") }
        let start = position
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(bytes: text, encoding: .utf8) else { throw fault(start, "UTF-8") }
                return string
            case UInt8(ascii: "%"):
                let digits = bytes[position...].prefix(2)
                guard let escaped = digits.escapedByte, !digits.contains(where: { (0x41...0x46).contains($0) }) else {
                    throw fault("two hexadecimal digits in lower case")
                }
                position += 2
                text.append(escaped)
            case 0x20...0x7E: text.append(byte)
            default: throw fault(position - 1, "an ASCII character or an escape in a display string")
            }
        }
        throw fault("a closing quote")
    }

    private mutating func token() -> String {
        let start = position
        while let byte = next, byte.isInStructuredToken { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func data() throws(HTTPMessageError) -> Data {
        position += 1
        let start = position
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ":")),
            let data = Data(base64Encoded: Data(bytes[start..<end]))
        else { throw fault("base 64 between two colons") }
        position = end + 1
        return data
    }

    private mutating func bool() throws(HTTPMessageError) -> Bool {
        position += 1
        if take("1") { return true }
        guard take("0") else { throw fault("0 or 1 after the question mark") }
        return false
    }

    private mutating func date() throws(HTTPMessageError) -> Date {
        position += 1
        let start = position
        guard next == UInt8(ascii: "-") || next?.isDigit == true, case .integer(let seconds) = try number() else {
            throw fault(start, "an integer after the at sign")
        }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

extension ArraySlice<UInt8> {
    /// The number of at most 15 digits.
    fileprivate var number: Int64 { reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    private var isLowercase: Bool { (0x61...0x7A).contains(self) }
    private var isLetter: Bool { isLowercase || (0x41...0x5A).contains(self) }
    var startsStructuredKey: Bool { isLowercase || self == UInt8(ascii: "*") }
    var isInStructuredKey: Bool { startsStructuredKey || isDigit || "_-.".utf8.contains(self) }
    var startsStructuredToken: Bool { isLetter || self == UInt8(ascii: "*") }
    var isInStructuredToken: Bool { isHTTPTokenByte || self == UInt8(ascii: ":") || self == UInt8(ascii: "/") }
}
