/// Settings of JSON for `Codable` types, with the functions that decode and encode.
///
/// ```swift
/// let items = try JSONCoding.standard.decode([Item].self, from: data)
/// let coding = JSONCoding {
///     $0.dates = .iso8601
///     $0.keys = .snakeCase
/// }
/// let data = try coding.encode(items)
/// ```
///
/// The results are those of Foundation's `JSONDecoder` and `JSONEncoder` with the same settings, several times faster;
/// the guide `JSON.md` lists the differences. A value can be shared by any number of threads.
public struct JSONCoding: Sendable {
    /// Form of dates; default ``Dates/deferredToDate``, as in Foundation.
    public var dates: Dates = .deferredToDate
    /// Form of `Data`; default ``DataForm/base64``.
    public var data: DataForm = .base64
    /// Names of members; default ``Keys/unchanged``.
    public var keys: Keys = .unchanged
    /// Form of infinity and NaN, which JSON has no numbers for; default ``NonConformingFloats/fail``.
    public var nonConformingFloats: NonConformingFloats = .fail
    /// Layout of encoded text; default compact, in the order of the type.
    public var format: Format = []
    /// Maximum nesting of arrays and objects in decoded text; default 512.
    ///
    /// A type that contains itself needs stack memory for each level. Lower the limit to decode such a type on a thread
    /// with a small stack.
    public var maximumDepth = 512
    /// The `userInfo` of decoders and encoders.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The default settings.
    public static let standard = JSONCoding()

    /// Creates settings with the defaults.
    public init() {}

    /// Creates settings.
    /// - Parameter configure: changes the defaults.
    public init(_ configure: (inout JSONCoding) -> Void) { configure(&self) }
}

extension JSONCoding {
    /// Layout of encoded text.
    public struct Format: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Creates options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Members sorted by name, in the order of their UTF-8 bytes.
        public static let sortedKeys = Format(rawValue: 1)
        /// One member or element a line, with two spaces a level.
        public static let pretty = Format(rawValue: 2)
        /// `\/` in place of `/`, as Foundation writes by default.
        public static let escapedSlashes = Format(rawValue: 4)
    }
}
