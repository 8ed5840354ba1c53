/// Character encoding, by the names and labels of the Encoding Standard (WHATWG).
///
/// Supports UTF-8, UTF-16 and the single-byte encodings. As in browsers, `US-ASCII` and `ISO-8859-1` are labels of
/// windows-1252, a superset of both.
public struct Charset: Hashable, Sendable, CustomStringConvertible {
    enum Form: Hashable, Sendable {
        case utf8
        case utf16LittleEndian
        case utf16BigEndian
        case singleByte(SingleByteCharset)
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    init(_ charset: SingleByteCharset) { form = .singleByte(charset) }

    /// Creates the charset of a case-insensitive label such as `utf8` or `latin1`; nil if it is unsupported.
    public init?(label: String) {
        let start = label.utf8.drop(while: Self.isWhitespace)
        let end = start.lastIndex { !Self.isWhitespace($0) }.map(start.index(after:)) ?? start.startIndex
        // Checked before lowercasing, because the Kelvin sign (U+212A) lowercases to an ASCII k.
        guard start.allSatisfy({ $0 < 0x80 }),
            let charset = Self.byLabel[Substring(start[..<end]).lowercased()]
        else { return nil }
        self = charset
    }

    /// `UTF-8`
    public static let utf8 = Charset(.utf8)
    /// `UTF-16LE`
    public static let utf16LE = Charset(.utf16LittleEndian)
    /// `UTF-16BE`
    public static let utf16BE = Charset(.utf16BigEndian)
    /// `windows-1252`, also used for US-ASCII and ISO-8859-1.
    public static let windows1252 = Charset(.windows1252)

    /// The name in the Encoding Standard.
    public var name: String {
        switch form {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf16BigEndian: "UTF-16BE"
        case .singleByte(let charset): charset.rawValue
        }
    }

    /// Same as ``name``.
    public var description: String { name }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
    }
}
