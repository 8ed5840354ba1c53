/// How the properties of a type become parameters of a query or a form; servers differ.
///
/// ```swift
/// struct Search: Codable { var text: String; var tags: [String]; var price: Price; var perPage: Int? }
/// struct Price: Codable { var min: Int; var max: Int }
/// let search = Search(text: "sofa", tags: ["a", "b"], price: Price(min: 1, max: 9), perPage: 20)
///
/// try Query(encoding: search, style: QueryStyle(names: .snakeCase))
/// // text=sofa&tags=a&tags=b&price[min]=1&price[max]=9&per_page=20
/// try Query(encoding: search, style: QueryStyle(arrays: .comma, nesting: .dots))
/// // text=sofa&tags=a,b&price.min=1&price.max=9&perPage=20
/// ```
///
/// OpenAPI's styles of arrays are ``ArrayStyle``, and those of objects ``Nesting``:
///
/// | style | arrays | nesting |
/// |---|---|---|
/// | `form`, `explode` | `repeated` | none: encode the object itself |
/// | `form` | `comma` | `comma` |
/// | `spaceDelimited` | `space` | `space` |
/// | `pipeDelimited` | `pipe` | `pipe` |
/// | `deepObject` | | `brackets` |
public struct QueryStyle: Hashable, Sendable {
    /// How properties of a property are written: under joined names, or as one parameter of names and values.
    @nonexhaustive public enum Nesting: Hashable, Sendable, CaseIterable {
        /// `price[min]=1`; the brackets are percent-encoded.
        case brackets
        /// `price.min=1`
        case dots
        /// `price=min,1,max,9`; the commas are percent-encoded. Such an object has no objects and no arrays, and no
        /// name or value with the delimiter.
        case comma
        /// `price=min 1 max 9`, percent-encoded, else as `comma`.
        case space
        /// `price=min|1|max|9`, percent-encoded, else as `comma`.
        case pipe

        /// The text between names and values that share one parameter; nil where each value has its own.
        var delimiter: String? {
            switch self {
            case .brackets, .dots: nil
            case .comma: ","
            case .space: " "
            case .pipe: "|"
            }
        }
    }

    /// Names of properties.
    @nonexhaustive public enum Names: Hashable, Sendable, CaseIterable {
        /// As the type's coding keys.
        case unchanged
        /// `per_page` for `perPage`.
        case snakeCase
        /// `per-page` for `perPage`.
        case kebabCase
    }

    /// Texts of dates.
    @nonexhaustive public enum Dates: Hashable, Sendable, CaseIterable {
        /// `2026-11-26T08:30:00Z`, with milliseconds if there are any (RFC 3339).
        case iso8601
        /// Seconds since 1970.
        case secondsSince1970
        /// Milliseconds since 1970.
        case millisecondsSince1970
    }

    /// Texts of bytes.
    @nonexhaustive public enum Bytes: Hashable, Sendable, CaseIterable {
        /// Base 64 (RFC 4648, section 4).
        case base64
        /// Base 64 for URLs, without padding (RFC 4648, section 5).
        case base64URL
    }

    /// Texts of Booleans; all are read.
    @nonexhaustive public enum Booleans: Hashable, Sendable, CaseIterable {
        /// `true` and `false`
        case words
        /// `1` and `0`
        case numbers
    }

    /// Parameters of nil.
    @nonexhaustive public enum Nils: Hashable, Sendable, CaseIterable {
        /// None.
        case omitted
        /// `a=`; an empty string is read as nil.
        case empty
        /// `a`
        case nameOnly
    }

    /// The style of arrays of strings, numbers and the like. Arrays of objects and of arrays are written with an index
    /// (`a[0][b]=1`) in all styles that have a parameter for each value, and are an error in the others.
    public var arrays: ArrayStyle
    /// The names of properties of properties.
    public var nesting: Nesting
    /// The names of properties; those of dictionaries are never changed.
    public var names: Names
    /// The texts of dates.
    public var dates: Dates
    /// The texts of `Data`.
    public var bytes: Bytes
    /// The texts of Booleans.
    public var booleans: Booleans
    /// The parameters of nil.
    public var nils: Nils

    /// Creates a style.
    public init(
        arrays: ArrayStyle = .repeated, nesting: Nesting = .brackets, names: Names = .unchanged,
        dates: Dates = .iso8601, bytes: Bytes = .base64, booleans: Booleans = .words, nils: Nils = .omitted
    ) {
        self.arrays = arrays
        self.nesting = nesting
        self.names = names
        self.dates = dates
        self.bytes = bytes
        self.booleans = booleans
        self.nils = nils
    }

    /// `a=1&a=2&b[c]=3`, ISO dates, base 64, `true` and `false`, and nothing for nil.
    public static let standard = QueryStyle()
}

extension QueryStyle.Names {
    /// The name in a query of a property.
    func written(_ name: String) -> String {
        switch self {
        case .unchanged: name
        case .snakeCase: name.words(joinedBy: UInt8(ascii: "_"))
        case .kebabCase: name.words(joinedBy: UInt8(ascii: "-"))
        }
    }

    /// The name of a property, from its name in a query.
    func declared(_ written: String) -> String {
        let separator: UInt8 = self == .kebabCase ? UInt8(ascii: "-") : UInt8(ascii: "_")
        guard self != .unchanged, written.utf8.contains(separator) else { return written }
        let words = written.utf8.split(separator: separator).map { Substring($0) }
        return words.dropFirst().reduce(words.first.map(String.init) ?? written) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}

extension String {
    /// The words of a name in camel case, in lower case: `my`, `url`, `id` of `myURLId`.
    fileprivate func words(joinedBy separator: UInt8) -> String {
        let bytes = Array(utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 4)
        for (index, byte) in bytes.enumerated() {
            guard byte.isUppercase else {
                result.append(byte)
                continue
            }
            if index > 0, bytes[index - 1] != separator {
                let startsWord = index + 1 < bytes.count && bytes[index + 1].isLowercase
                if !bytes[index - 1].isUppercase || startsWord { result.append(separator) }
            }
            result.append(byte | 0x20)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isUppercase: Bool { (0x41...0x5A).contains(self) }
    fileprivate var isLowercase: Bool { (0x61...0x7A).contains(self) }
}
