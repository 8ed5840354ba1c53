import Foundation
public import HTTPMessages

/// The URL below which a server's endpoints are: absolute, `http` or `https`, without user, query and fragment.
///
/// ```swift
/// let base = try BaseURL("http://h/akula/app")
/// try base.appending("/data/x?a=1").text  // "http://h/akula/app/data/x?a=1"
/// try base.resolving("/data/x").text      // "http://h/data/x"
/// ```
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL as text, normalized as the URL of an `HTTPRequest`. Characters that a URL cannot hold are
    /// percent-encoded.
    public let text: String
    private let joint: String

    /// A checked base.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(_ text: String) throws(HTTPMessageError) {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw HTTPMessageError(
                .invalidURL, "The base URL has a query or a fragment; pass them with each call instead.")
        }
        self.text = try HTTPRequest.normalized(HTTPRequest.url(of: RequestURL(text).text)).0.absoluteString
        var joint = self.text[...]
        while joint.utf8.last == UInt8(ascii: "/") { joint.removeLast() }
        self.joint = String(joint)
    }

    /// The URL of an endpoint: this URL, one slash, and the endpoint, as they stand. That is how endpoints of Akula and
    /// of MobileFirst are meant; ``resolving(_:)`` follows a link instead.
    ///
    /// The result is always on this base's origin: all slashes where both meet become one, so `//host/x` is a path,
    /// and a whole URL such as `http://host/` is refused.
    /// - Parameter endpoint: a path, with or without a slash in front, maybe with a query; a fragment is dropped. An
    ///   empty one is the base itself, and one that starts with `?` adds just that query.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for a whole URL, line breaks and other control characters.
    public func appending(_ endpoint: String) throws(HTTPMessageError) -> RequestURL {
        let reference = URLReference(endpoint[...])
        guard reference.scheme == nil || reference.authority == nil else {
            throw HTTPMessageError(
                .invalidURL, "The endpoint is an absolute URL; pass a path below the base URL.")
        }
        let path = endpoint.utf8.drop { $0 == UInt8(ascii: "/") }
        switch path.first {
        case nil, UInt8(ascii: "?"), UInt8(ascii: "#"):
            let prefix = path.startIndex == endpoint.startIndex ? text : joint + "/"
            return try RequestURL(prefix: prefix, tail: path)
        default:
            return try RequestURL(prefix: joint, tail: path)
        }
    }

    /// The URL that a reference means when it stands in a document at this URL (RFC 3986, section 5). A reference may
    /// lead to another origin; a fragment is dropped.
    ///
    /// Below `http://h/akula/app`, `x` means `http://h/akula/x`; end the base with a slash to stay below it.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for line breaks and other control characters. A scheme that is
    ///   not `http` or `https` is refused when the request is made.
    public func resolving(_ reference: String) throws(HTTPMessageError) -> RequestURL {
        try RequestURL(URLReference(reference[...]).resolved(against: URLReference(text[...])).text)
    }

    /// True when both texts spell one URL (RFC 3986, section 6.2): the case of scheme and host, the default port,
    /// slashes at the end of the path, and percent-encoding that changes nothing make no difference.
    public func isEquivalent(to other: BaseURL) -> Bool {
        let (left, right) = (URLReference(joint[...]), URLReference(other.joint[...]))
        return Origin(left) == Origin(right)
            && left.path.utf8.normalizedPercentEncoding == right.path.utf8.normalizedPercentEncoding
    }

    /// The URL. It holds no secrets.
    public var description: String { text }
}

extension Substring.UTF8View {
    /// The bytes with unreserved characters decoded, and the digits of all other escapes in upper case (RFC 3986,
    /// sections 6.2.2.1 and 6.2.2.2).
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
            if escaped.isUnreserved { bytes.append(escaped) } else { bytes.append(percentEncoded: escaped) }
        }
        return bytes
    }
}
