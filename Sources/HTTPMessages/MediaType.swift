/// A media type: `type/subtype` with parameters, as in `Content-Type` (RFC 9110, section 8.3.1).
///
/// Parsed and written as browsers do it (WHATWG, MIME Sniffing, section 4): type, subtype and parameter names in lower
/// case, the first of several parameters of one name counts, faulty parameters are skipped.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// One parameter.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value, unquoted.
        public let value: String
    }

    /// The part before the slash, in lower case.
    public let type: String
    /// The part after the slash, in lower case.
    public let subtype: String
    /// The parameters, in order.
    public private(set) var parameters: [Parameter]

    /// Reads a media type.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) when type or subtype is missing or not a token.
    public init(_ text: String) throws(HTTPMessageError) {
        guard let parsed = MediaType(parsing: text) else {
            throw HTTPMessageError(
                .invalidMediaType, "Invalid media type; use the form type/subtype, such as text/plain.")
        }
        self = parsed
    }

    /// Reads a media type; nil when it has none.
    public init?(parsing text: String) {
        var input = Substring(text).unicodeScalars
        input.trimBlanks()
        let type = input.take { $0 != "/" }
        guard type.isToken, input.popFirst() == "/" else { return nil }
        var subtype = input.take { $0 != ";" }
        subtype.trimTrailingBlanks()
        guard subtype.isToken else { return nil }
        self.type = String(type).lowercased()
        self.subtype = String(subtype).lowercased()
        parameters = []
        while input.popFirst() != nil {
            _ = input.take(while: \.isHTTPWhitespace)
            let name = input.take { $0 != ";" && $0 != "=" }
            guard input.popFirst() == "=" else {
                input = text.unicodeScalars[name.endIndex...]
                continue
            }
            let value = input.takeParameterValue()
            guard let value, name.isToken else { continue }
            let lowered = String(name).lowercased()
            guard value.unicodeScalars.allSatisfy(\.isQuotedStringScalar), self[lowered] == nil else { continue }
            parameters.append(Parameter(name: lowered, value: value))
        }
    }

    private init(known type: String, _ subtype: String, charset: String? = nil) {
        self.type = type
        self.subtype = subtype
        parameters = charset.map { [Parameter(name: "charset", value: $0)] } ?? []
    }

    /// `application/json`
    public static let json = MediaType(known: "application", "json")
    /// `text/plain; charset=utf-8`
    public static let plainText = MediaType(known: "text", "plain", charset: "utf-8")
    /// `application/x-www-form-urlencoded`
    public static let form = MediaType(known: "application", "x-www-form-urlencoded")
    /// `application/octet-stream`
    public static let octetStream = MediaType(known: "application", "octet-stream")

    /// `multipart/form-data` with its boundary.
    /// - Throws: `HTTPMessageError` when the boundary cannot be a parameter's value.
    public static func multipartForm(boundary: String) throws(HTTPMessageError) -> MediaType {
        try MediaType(known: "multipart", "form-data").with(parameter: "boundary", boundary)
    }

    /// The value of a parameter, by its name in any case.
    public subscript(parameter: String) -> String? {
        let lowered = parameter.lowercased()
        return parameters.first { $0.name == lowered }?.value
    }

    /// This media type with a parameter set.
    /// - Throws: `HTTPMessageError` when the name is not a token or the value holds a control character.
    public func with(parameter name: String, _ value: String) throws(HTTPMessageError) -> MediaType {
        guard name.isHTTPToken, value.unicodeScalars.allSatisfy(\.isQuotedStringScalar) else {
            throw HTTPMessageError(
                .invalidMediaType, "Invalid media type parameter; its name must be a token and its value Latin-1 text.")
        }
        var changed = self
        changed.parameters.removeAll { $0.name == name.lowercased() }
        changed.parameters.append(Parameter(name: name.lowercased(), value: value))
        return changed
    }

    /// `type/subtype` without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// True for `application/json`, `text/json` and every subtype that ends in `+json` (RFC 6839).
    public var isJSON: Bool { essence == "application/json" || essence == "text/json" || subtype.hasSuffix("+json") }

    /// True when this type is in a range such as `text/*`, `*/*` or `text/plain`; parameters do not count.
    public func matches(_ range: MediaType) -> Bool {
        (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
    }

    /// The text for a field's value; parameter values are quoted where they must be.
    public var description: String {
        parameters.reduce(essence) { text, parameter in
            let value = parameter.value
            if value.isHTTPToken { return "\(text);\(parameter.name)=\(value)" }
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return "\(text);\(parameter.name)=\"\(escaped)\""
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isHTTPWhitespace: Bool { self == " " || self == "\t" || self == "\r" || self == "\n" }
    fileprivate var isQuotedStringScalar: Bool {
        self == "\t" || (" "..."~").contains(self) || ("\u{80}"..."\u{FF}").contains(self)
    }
}

extension Substring.UnicodeScalarView {
    fileprivate var isToken: Bool { !isEmpty && allSatisfy { $0.isASCII && UInt8($0.value).isHTTPTokenByte } }

    fileprivate mutating func trimBlanks() {
        self = drop(while: \.isHTTPWhitespace)
        trimTrailingBlanks()
    }

    fileprivate mutating func trimTrailingBlanks() {
        while let last, last.isHTTPWhitespace { removeLast() }
    }

    fileprivate mutating func take(while condition: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
        let taken = prefix(while: condition)
        self = self[taken.endIndex...]
        return taken
    }

    /// A token's or a quoted string's text, up to the next semicolon; nil when an unquoted value is empty.
    fileprivate mutating func takeParameterValue() -> String? {
        guard first == "\"" else {
            var value = take { $0 != ";" }
            value.trimTrailingBlanks()
            return value.isEmpty ? nil : String(value)
        }
        removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = popFirst(), scalar != "\"" {
            // A backslash at the very end stands for itself.
            value.append(scalar == "\\" ? popFirst() ?? "\\" : scalar)
        }
        _ = take { $0 != ";" }
        return String(value)
    }
}
