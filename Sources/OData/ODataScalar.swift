import Foundation
import HTTPMessages

/// Conversion of a value to Swift's scalar types.
struct ODataScalar {
    let node: ODataNode
    let path: ODataPath

    /// The value as a scalar type.
    /// - Returns: nil for a type that is not a scalar.
    /// - Throws: ``ODataError`` (`missingValue`, `unexpectedValue`).
    func value<Value>(_ type: Value.Type) throws(ODataError) -> Value? {
        guard let convert = Self.conversions[ObjectIdentifier(type)] else { return nil }
        if node == .null { throw missing(type) }
        if case .deferred = node { throw missing(type) }
        guard let value = convert(node) as? Value else { throw unexpected("\(type)") }
        return value
    }

    func missing(_ type: Any.Type) -> ODataError {
        ODataError(.missingValue, "\(subject): expected \(type), found \(node.found).", element: path.text)
    }

    func unexpected(_ expectation: String) -> ODataError {
        ODataError(
            node == .null ? .missingValue : .unexpectedValue,
            "\(subject): expected \(expectation), found \(node.found).", element: path.text)
    }

    private var subject: String { path.text.isEmpty ? "The entry" : path.text }

    private static let conversions: [ObjectIdentifier: @Sendable (ODataNode) -> Any?] = [
        ObjectIdentifier(String.self): { node in
            if case .text(let text, _) = node { text } else { nil }
        },
        ObjectIdentifier(Bool.self): boolean,
        ObjectIdentifier(Int.self): integer(Int.self), ObjectIdentifier(Int8.self): integer(Int8.self),
        ObjectIdentifier(Int16.self): integer(Int16.self), ObjectIdentifier(Int32.self): integer(Int32.self),
        ObjectIdentifier(Int64.self): integer(Int64.self), ObjectIdentifier(UInt.self): integer(UInt.self),
        ObjectIdentifier(UInt8.self): integer(UInt8.self), ObjectIdentifier(UInt16.self): integer(UInt16.self),
        ObjectIdentifier(UInt32.self): integer(UInt32.self), ObjectIdentifier(UInt64.self): integer(UInt64.self),
        ObjectIdentifier(Double.self): { $0.double }, ObjectIdentifier(Float.self): { $0.float },
        ObjectIdentifier(Decimal.self): { $0.decimal },
        ObjectIdentifier(Date.self): { $0.trimmedText.flatMap { Date(odata: $0) } },
        ObjectIdentifier(Data.self): { $0.trimmedText.flatMap { binary($0) } },
        ObjectIdentifier(UUID.self): { $0.trimmedText.flatMap { UUID(uuidString: $0) } },
        ObjectIdentifier(URL.self): { $0.trimmedText.flatMap { URL(string: $0) } },
    ]

    /// Base64, or base64url with or without padding, as OData 4 writes it.
    private static func binary(_ text: String) -> Data? {
        if let data = Data(base64Encoded: text) { return data }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }

    private static let boolean: @Sendable (ODataNode) -> Any? = { node in
        switch node {
        case .literal(.bool(let value)): value
        case .text("true", _), .text("1", _): true
        case .text("false", _), .text("0", _): false
        default: nil
        }
    }

    private static func integer<Value: FixedWidthInteger & Decodable & Sendable>(
        _ type: Value.Type
    ) -> @Sendable (ODataNode) -> Any? {
        { $0.integer(Value.self) }
    }
}

extension ODataNode {
    /// Text without white space around it.
    fileprivate var trimmedText: String? {
        guard case .text(let text, _) = self else { return nil }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    fileprivate func integer<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) -> Value? {
        switch self {
        case .literal(.integer(let value)): return Value(exactly: value)
        case .literal(.number(let value)): return Value(exactly: value)
        default:
            guard let text = trimmedText else { return nil }
            // A JSON number that a `Double` does not hold is text, also with a fraction or an exponent.
            return Value(text) ?? (try? JSONCoding.standard.decode(type, from: text))
        }
    }

    fileprivate var double: Double? {
        if case .literal(let value) = self { return value.double }
        switch trimmedText {
        case "INF", "Infinity": return .infinity
        case "-INF", "-Infinity": return -.infinity
        case "NaN": return .nan
        // The suffixes of literals in URLs, which some servers write into values.
        case let text?: return Double(text.hasSuffix("d") || text.hasSuffix("f") ? String(text.dropLast()) : text)
        case nil: return nil
        }
    }

    /// The nearest one; nil for a number beyond its range.
    fileprivate var float: Float? {
        guard let double, case let float = Float(double), float.isFinite || !double.isFinite else { return nil }
        return float
    }

    fileprivate var decimal: Decimal? {
        if case .literal(let value) = self { return value.double == nil ? nil : Decimal(string: "\(value)") }
        // The initializer ignores characters after a number.
        guard var text = trimmedText else { return nil }
        if text.last == "m" || text.last == "M" { text.removeLast() }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            Double(text)?.isFinite == true
        else { return nil }
        return Decimal(string: text)
    }
}
