/// The `Cache-Control` field (RFC 9111, section 5.2).
///
/// ```swift
/// let control = CacheControl(response.fields)
/// if control.noStore || control.maxAge == .zero { ... }
/// try request.fields.set(.cacheControl, to: "max-age=60, only-if-cached")
/// ```
public struct CacheControl: Hashable, Sendable, CustomStringConvertible {
    private struct Directive: Hashable, Sendable {
        let name: String
        let argument: String?
    }

    private var directives: [Directive] = []

    /// Parses the field; fields without it have no directives.
    public init(_ fields: HTTPFields) { self.init(parsing: fields[.cacheControl] ?? "") }

    /// Parses a field value. What is no directive is skipped, so parsing never fails.
    public init(parsing text: String) {
        var scanner = FieldScanner(text)
        let isEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: ",") }
        while true {
            scanner.skip { $0.isHTTPWhitespace || isEnd($0) }
            guard scanner.next != nil else { return }
            let name = scanner.takeToken().lowercased()
            let argument = scanner.takeValue(endingAt: isEnd)
            if !name.isEmpty { directives.append(Directive(name: name, argument: argument)) }
            scanner.skipUnquoted(to: isEnd)
        }
    }

    /// True if there is a directive of a case-insensitive name.
    public func contains(_ directive: String) -> Bool { first(directive) != nil }

    /// The argument of the first directive of a case-insensitive name; nil without one.
    public subscript(directive: String) -> String? { first(directive)?.argument }

    /// The arguments of all directives of a lower-case name, in order: servers repeat directives. Nil for one without.
    package func arguments(of name: String) -> [String?] {
        directives.lazy.filter { $0.name == name }.map(\.argument)
    }

    /// True if neither request nor response may be stored.
    public var noStore: Bool { contains("no-store") }
    /// True if a stored response must be revalidated before use. With names of fields the directive is about these
    /// only; it counts all the same, as the RFC permits.
    public var noCache: Bool { contains("no-cache") }
    /// True if only a private cache may store the response. Names of fields are handled as in ``noCache``.
    public var isPrivate: Bool { contains("private") }
    /// True if a stored response must not be used when it is stale.
    public var mustRevalidate: Bool { contains("must-revalidate") }
    /// True if a fresh response does not change (RFC 8246).
    public var isImmutable: Bool { contains("immutable") }
    /// Time for which a response is fresh; zero if it is malformed, which makes the response stale.
    public var maxAge: Duration? { duration("max-age") }
    /// Time for which a response is fresh in shared caches.
    public var sharedMaxAge: Duration? { duration("s-maxage") }
    /// Time for which a stale response may be used while it is revalidated (RFC 5861).
    public var staleWhileRevalidate: Duration? { duration("stale-while-revalidate") }
    /// Time for which a stale response may be used in place of an error (RFC 5861).
    public var staleIfError: Duration? { duration("stale-if-error") }

    /// The field value.
    public var description: String {
        directives.map { directive in
            directive.argument.map { "\(directive.name)=\($0.tokenOrQuotedString)" } ?? directive.name
        }.joined(separator: ", ")
    }

    private func first(_ name: String) -> Directive? {
        let name = name.lowercased()
        return directives.first { $0.name == name }
    }

    /// Seconds of up to 100 years; zero for a malformed number (RFC 9111, section 4.2.1).
    private func duration(_ name: String) -> Duration? {
        guard let directive = first(name) else { return nil }
        let digits = directive.argument ?? ""
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .zero }
        return min(.century, .seconds(Int64(digits).map { min($0, Int64(Double.century)) } ?? Int64(Double.century)))
    }
}
