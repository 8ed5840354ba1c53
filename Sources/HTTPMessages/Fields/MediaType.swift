/// Media type: `type/subtype` with parameters, as in `Content-Type` (RFC 9110, section 8.3.1).
///
/// Parsed and serialized as by browsers (WHATWG MIME Sniffing, section 4): type, subtype and parameter names are
/// lowercased, of duplicate parameters the first is kept, and invalid parameters are skipped.
///
/// ```swift
/// let photo = MediaType.jpeg
/// let calendar = try MediaType("text/calendar; charset=utf-8")
/// ```
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

    /// Parses a media type.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) if type or subtype is missing or not a token.
    public init(_ text: String) throws(HTTPMessageError) {
        guard let parsed = MediaType(parsing: text) else {
            throw HTTPMessageError(
                .invalidMediaType, "Invalid media type; use the form type/subtype, such as text/plain.")
        }
        self = parsed
    }

    /// Parses a media type; nil if type or subtype is missing or not a token.
    public init?(parsing text: String) {
        var input = Substring(text).unicodeScalars
        input.trimWhitespace()
        let type = input.consume { $0 != "/" }
        guard type.isToken, input.popFirst() == "/" else { return nil }
        var subtype = input.consume { $0 != ";" }
        subtype.trimTrailingWhitespace()
        guard subtype.isToken else { return nil }
        self.type = String(type).lowercased()
        self.subtype = String(subtype).lowercased()
        parameters = []
        while input.popFirst() != nil {
            _ = input.consume(while: \.isHTTPWhitespace)
            let name = input.consume { $0 != ";" && $0 != "=" }
            guard input.popFirst() == "=" else {
                input = text.unicodeScalars[name.endIndex...]
                continue
            }
            let value = input.consumeParameterValue()
            guard let value, name.isToken else { continue }
            let lowered = String(name).lowercased()
            guard value.unicodeScalars.allSatisfy(\.isQuotedStringScalar) else { continue }
            parameters.append(Parameter(name: lowered, value: value))
        }
        guard parameters.count > 1 else { return }
        var names: Set<String> = []
        parameters.removeAll { !names.insert($0.name).inserted }
    }

    private init(known type: String, _ subtype: String, charset: String? = nil) {
        self.type = type
        self.subtype = subtype
        parameters = charset.map { [Parameter(name: "charset", value: $0)] } ?? []
    }

    /// `application/json`
    public static let json = MediaType(known: "application", "json")
    /// `application/problem+json` (RFC 9457)
    public static let problem = MediaType(known: "application", "problem+json")
    /// `text/plain; charset=utf-8`
    public static let plainText = MediaType(known: "text", "plain", charset: "utf-8")
    /// `application/x-ndjson`
    public static let ndjson = MediaType(known: "application", "x-ndjson")
    /// `application/json-seq` (RFC 7464)
    public static let jsonSequence = MediaType(known: "application", "json-seq")
    /// `text/csv; charset=utf-8` (RFC 4180)
    public static let csv = MediaType(known: "text", "csv", charset: "utf-8")
    /// `text/tab-separated-values; charset=utf-8`
    public static let tabSeparatedValues = MediaType(known: "text", "tab-separated-values", charset: "utf-8")
    /// `application/x-www-form-urlencoded`
    public static let form = MediaType(known: "application", "x-www-form-urlencoded")
    /// `application/x-plist`
    public static let propertyList = MediaType(known: "application", "x-plist")
    /// `text/html; charset=utf-8`
    public static let html = MediaType(known: "text", "html", charset: "utf-8")
    /// `application/xml`
    public static let xml = MediaType(known: "application", "xml")
    /// `application/pdf`
    public static let pdf = MediaType(known: "application", "pdf")
    /// `application/zip`
    public static let zip = MediaType(known: "application", "zip")
    /// `image/jpeg`
    public static let jpeg = MediaType(known: "image", "jpeg")
    /// `image/png`
    public static let png = MediaType(known: "image", "png")
    /// `image/gif`
    public static let gif = MediaType(known: "image", "gif")
    /// `image/webp`
    public static let webp = MediaType(known: "image", "webp")
    /// `image/heic`
    public static let heic = MediaType(known: "image", "heic")
    /// `image/svg+xml`
    public static let svg = MediaType(known: "image", "svg+xml")
    /// `video/mp4`
    public static let mp4 = MediaType(known: "video", "mp4")
    /// `application/octet-stream`
    public static let octetStream = MediaType(known: "application", "octet-stream")

    /// `multipart/form-data` with a boundary.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) if the boundary is not a valid parameter value.
    public static func multipartForm(boundary: String) throws(HTTPMessageError) -> MediaType {
        try MediaType(known: "multipart", "form-data").with(parameter: "boundary", boundary)
    }

    /// The value of a parameter, by its case-insensitive name.
    public subscript(parameter: String) -> String? {
        let lowered = parameter.lowercased()
        return parameters.first { $0.name == lowered }?.value
    }

    /// Returns this media type with a parameter added or replaced.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) if the name is not a token or the value not printable Latin-1.
    public func with(parameter name: String, _ value: String) throws(HTTPMessageError) -> MediaType {
        guard name.isHTTPToken, value.unicodeScalars.allSatisfy(\.isQuotedStringScalar) else {
            throw HTTPMessageError(
                .invalidMediaType, "Invalid media type parameter; use a token as name and printable Latin-1 as value.")
        }
        var changed = self
        changed.parameters.removeAll { $0.name == name.lowercased() }
        changed.parameters.append(Parameter(name: name.lowercased(), value: value))
        return changed
    }

    /// `type/subtype` without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// True for `application/json`, `text/json` and subtypes with the suffix `+json` (RFC 6839).
    public var isJSON: Bool { essence == "application/json" || essence == "text/json" || subtype.hasSuffix("+json") }

    /// True if a media range such as `text/*` includes this type; parameters are ignored.
    public func matches(_ range: MediaType) -> Bool {
        (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
    }

    /// The field value; parameter values are quoted if necessary.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            let value = parameter.value
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            text += ";\(parameter.name)=" + (value.isHTTPToken ? value : "\"\(escaped)\"")
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

    fileprivate mutating func trimWhitespace() {
        self = drop(while: \.isHTTPWhitespace)
        trimTrailingWhitespace()
    }

    fileprivate mutating func trimTrailingWhitespace() {
        while let last, last.isHTTPWhitespace { removeLast() }
    }

    fileprivate mutating func consume(while condition: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
        let consumed = prefix(while: condition)
        self = self[consumed.endIndex...]
        return consumed
    }

    /// Consumes a token or quoted string, up to the next semicolon; nil if an unquoted value is empty.
    fileprivate mutating func consumeParameterValue() -> String? {
        guard first == "\"" else {
            var value = consume { $0 != ";" }
            value.trimTrailingWhitespace()
            return value.isEmpty ? nil : String(value)
        }
        removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = popFirst(), scalar != "\"" {
            // A trailing backslash is literal.
            value.append(scalar == "\\" ? popFirst() ?? "\\" : scalar)
        }
        _ = consume { $0 != ";" }
        return String(value)
    }
}
