import HTTPMessages

/// Recursive-descent parser of a template (RFC 6570, section 2).
struct URITemplateParser {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var parts: [URITemplate.Part] = []
    private(set) var variables: [String] = []
    private var numbers: [String: Int] = [:]

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func parse() throws(URITemplateError) {
        var literal: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "{"):
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = []
                parts.append(.expression(try expression()))
            case UInt8(ascii: "}"):
                throw fault("a closing brace without an opening one")
            case UInt8(ascii: "%"):
                literal += try escape()
            case 0x80...:
                literal.append(percentEncoded: byte)
                position += 1
            default:
                guard byte.isTemplateLiteral else {
                    throw fault("the character \(String(decoding: [byte], as: UTF8.self).debugDescription); encode it")
                }
                literal.append(byte)
                position += 1
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ problem: String) -> URITemplateError {
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        return URITemplateError(
            .invalidTemplate, "Invalid URI template \(text.debugDescription) at offset \(position): \(problem).",
            offset: position)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    /// A percent sign and its two digits.
    private mutating func escape() throws(URITemplateError) -> ArraySlice<UInt8> {
        guard bytes[(position + 1)...].escapedByte != nil else {
            throw fault("a percent sign without two hexadecimal digits; write %25")
        }
        position += 3
        return bytes[(position - 3)..<position]
    }

    private mutating func expression() throws(URITemplateError) -> URITemplate.Expression {
        position += 1
        var operation = URITemplate.Operation.simple
        if let byte = next, !byte.isVariableCharacter, byte != UInt8(ascii: "%") {
            guard let known = URITemplate.Operation.of(byte) else {
                throw fault("neither a variable nor one of the operators +#./;?&")
            }
            operation = known
            position += 1
        }
        var found: [URITemplate.Variable] = []
        repeat { found.append(try variable()) } while take(",")
        guard take("}") else {
            throw fault(next == nil ? "an opening brace without a closing one" : "not a part of a variable")
        }
        return URITemplate.Expression(operation: operation, variables: found)
    }

    private mutating func variable() throws(URITemplateError) -> URITemplate.Variable {
        let start = position
        repeat {
            let part = position
            while let byte = next {
                if byte == UInt8(ascii: "%") {
                    _ = try escape()
                } else if byte.isVariableCharacter {
                    position += 1
                } else {
                    break
                }
            }
            guard position > part else { throw fault("the name of a variable is missing") }
        } while take(".")
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        let number = numbers[name] ?? variables.count
        if number == variables.count {
            numbers[name] = number
            variables.append(name)
        }
        return URITemplate.Variable(number: number, name: name, modifier: try modifier())
    }

    private mutating func modifier() throws(URITemplateError) -> URITemplate.Modifier {
        if take("*") { return .explode }
        guard take(":") else { return .none }
        let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 4 else {
            throw fault("the length of a prefix is a number from 1 to 9999")
        }
        position += digits.count
        return .prefix(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
}

extension UInt8 {
    /// True for the ASCII characters of literals (RFC 6570, section 2.1, with erratum 6937 for the apostrophe).
    fileprivate var isTemplateLiteral: Bool {
        switch self {
        case 0x21, 0x23, 0x24, 0x26...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }

    fileprivate var isVariableCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
