/// The `Content-Disposition` field of a response: whether it is a file, and its name (RFC 6266).
///
/// ```swift
/// let name = response.fields[.contentDisposition].flatMap { ContentDisposition(parsing: $0) }?.fileName
/// ```
public struct ContentDisposition: Hashable, Sendable, CustomStringConvertible {
    /// The type in lower case: `attachment`, `inline`, or another.
    public let type: String
    private let parameters: FieldParameters

    /// Parses a field value; nil if it has no type. Parameters that are malformed are skipped.
    public init?(parsing text: String) {
        var scanner = FieldScanner(text)
        scanner.skip(while: \.isHTTPWhitespace)
        type = scanner.takeToken().lowercased()
        guard !type.isEmpty else { return nil }
        parameters = scanner.takeParameters(endsAtComma: false)
    }

    private init(_ type: String, fileName: String?) {
        var parameters = FieldParameters()
        if let fileName { parameters.append("filename", fileName) }
        self.type = type
        self.parameters = parameters
    }

    /// A file to save.
    public static func attachment(fileName: String? = nil) -> ContentDisposition {
        ContentDisposition("attachment", fileName: fileName)
    }

    /// A file to show.
    public static func inline(fileName: String? = nil) -> ContentDisposition {
        ContentDisposition("inline", fileName: fileName)
    }

    /// The first value of a parameter, by its case-insensitive name; an extended value (RFC 8187) is decoded.
    public subscript(parameter: String) -> String? { parameters[parameter.lowercased()] }

    /// The name of the file, safe as a name in a folder: the last component of a path, without control characters, line
    /// separators, and marks that change the direction of text. Nil if there is none, and for `.` and `..`.
    public var fileName: String? {
        guard let name = parameters["filename"] else { return nil }
        let last =
            name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? [][...]
        var safe = String(String.UnicodeScalarView(last.filter { !$0.isUnsafeInFileName }))[...]
        while safe.first?.isWhitespace == true { safe.removeFirst() }
        while safe.last?.isWhitespace == true { safe.removeLast() }
        return safe.isEmpty || safe == "." || safe == ".." ? nil : String(safe)
    }

    /// The field value; a name that is not ASCII is an extended value.
    public var description: String { type + parameters.text }
}

extension Unicode.Scalar {
    fileprivate var isUnsafeInFileName: Bool {
        switch value {
        // Control characters, line separators, and all with the property Bidi_Control.
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
