import Foundation
public import HTTPMessages

/// Base URL of endpoints: absolute, `http` or `https`, without user, query and fragment.
///
/// ```swift
/// let base = try BaseURL("http://h/akula/app")
/// try base.appending("/data/x?a=1").text  // "http://h/akula/app/data/x?a=1"
/// try base.resolving("/data/x").text      // "http://h/data/x"
/// try base.appending(path: "data/\(id)").text  // "http://h/akula/app/data/a%2Fb", for the id "a/b"
/// ```
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL string, normalized as the URL of an `HTTPRequest`. Invalid characters are percent-encoded.
    public let text: String
    /// The origin: scheme, host and port.
    package let origin: Origin
    /// ``text`` without trailing slashes.
    private let prefix: String

    /// Creates a validated base URL.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ text: String) throws(HTTPMessageError) {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw HTTPMessageError(
                .invalidURL, "Base URL contains a query or a fragment; pass them with each call instead.")
        }
        let (url, origin) = try HTTPRequest.normalized(URL(httpString: RequestURL(text).text))
        self.text = url.absoluteString
        self.origin = origin
        var prefix = self.text[...]
        while prefix.utf8.last == UInt8(ascii: "/") { prefix.removeLast() }
        self.prefix = String(prefix)
    }

    /// Joins this URL and an endpoint by one slash, as Akula and MobileFirst do.
    ///
    /// The result always has the origin of the base: slashes between the two are merged into one, so `//host/x` is a
    /// path, and an absolute URL such as `http://host/` is rejected. To resolve a link, use ``resolving(_:)``.
    /// - Parameter endpoint: a path with or without a leading slash, optionally with a query; a fragment is dropped. An
    ///   empty string returns the base itself, and one that starts with `?` appends only the query.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for an absolute URL, line breaks and other control characters.
    public func appending(_ endpoint: String) throws(HTTPMessageError) -> RequestURL {
        // Almost never does a path have a colon in its first segment, before which a scheme could be.
        if endpoint.utf8.first(where: \.endsScheme) == UInt8(ascii: ":") {
            let reference = URLReference(endpoint[...])
            guard reference.scheme == nil || reference.authority == nil else {
                throw HTTPMessageError(
                    .invalidURL, "Path is an absolute URL; pass a path relative to the base URL.")
            }
        }
        let path = endpoint.utf8.drop { $0 == UInt8(ascii: "/") }
        switch path.first {
        case nil, UInt8(ascii: "?"), UInt8(ascii: "#"):
            let prefix = path.startIndex == endpoint.startIndex ? text : self.prefix + "/"
            return try RequestURL(prefix: prefix, origin, tail: path)
        default:
            return try RequestURL(prefix: prefix, origin, tail: path)
        }
    }

    /// Joins this URL and a path with interpolated values by one slash, as ``appending(_:)``.
    /// - Throws: `HTTPMessageError` (`invalidPathValue`, `invalidURL`).
    public func appending(path: RequestPath) throws(HTTPMessageError) -> RequestURL { try appending(path.text()) }

    /// Resolves a reference relative to this URL (RFC 3986, section 5). The result may have another origin.
    ///
    /// `x` relative to `http://h/akula/app` is `http://h/akula/x`; end the base with a slash to stay below it. A
    /// fragment is dropped.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for line breaks and other control characters. A scheme other than
    ///   `http` and `https` is rejected when the request is created.
    public func resolving(_ reference: String) throws(HTTPMessageError) -> RequestURL {
        try RequestURL(URLReference(reference[...]).resolved(against: URLReference(text[...])).text)
    }

    /// True if both URLs are equivalent (RFC 3986, section 6.2).
    ///
    /// Ignores the case of scheme and host, the default port, trailing slashes, and percent-encoding of unreserved
    /// characters.
    public func isEquivalent(to other: BaseURL) -> Bool {
        let (left, right) = (URLReference(prefix[...]), URLReference(other.prefix[...]))
        return Origin(left) == Origin(right)
            && left.path.utf8.normalizedPercentEncoding == right.path.utf8.normalizedPercentEncoding
    }

    /// Same as ``text``, which contains no secrets.
    public var description: String { text }
}

extension UInt8 {
    /// True for a colon, and for what starts a path, a query or a fragment: no scheme ends after that.
    fileprivate var endsScheme: Bool {
        switch self {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }
}

extension Substring.UTF8View {
    /// The bytes with unreserved characters decoded and all other escapes in upper case (RFC 3986, sections 6.2.2.1
    /// and 6.2.2.2).
    fileprivate var normalizedPercentEncoding: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var rest = self
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let escaped = rest.escapedByte else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            bytes.append(percentEncoding: CollectionOfOne(escaped), except: .unreserved)
        }
        return bytes
    }
}
