import Foundation
public import HTTPMessages
public import PatchbayErrors

/// URL string of a call, without a fragment, to which query parameters can be appended.
///
/// Path and query are percent-encoded here: existing escapes are kept, invalid characters such as `ä`, `[` or a space
/// are encoded as UTF-8, and a `%` without two hexadecimal digits becomes `%25`. Scheme, host and port are checked when
/// ``RequestData/request(_:_:)`` creates the request.
public struct RequestURL: Hashable, Sendable {
    /// The URL string.
    public let text: String
    private let hasQuery: Bool
    /// The origin, if the URL is known to be valid and normalized as that of an `HTTPRequest`.
    let normalizedOrigin: Origin?

    /// Creates an absolute URL; a fragment is dropped.
    /// - Throws: `HTTPMessageError` (`invalidURL`) if path or query contain line breaks or other control characters.
    public init(_ text: String) throws(HTTPMessageError) {
        let path = URLReference(text[...]).path.startIndex
        var bytes = Array(text[..<path].utf8)
        hasQuery = try bytes.append(pathAndQuery: text[path...].utf8)
        self.text = String(decoding: bytes, as: UTF8.self)
        normalizedOrigin = nil
    }

    /// - Parameters:
    ///   - prefix: a normalized URL without query.
    ///   - origin: that of the prefix.
    ///   - tail: path, query and fragment, with or without a leading slash.
    init(prefix: String, _ origin: Origin, tail: Substring.UTF8View) throws(HTTPMessageError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.utf8.count + tail.count + 1)
        bytes.append(contentsOf: prefix.utf8)
        if let first = tail.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "#") {
            bytes.append(UInt8(ascii: "/"))
        }
        hasQuery = try bytes.append(pathAndQuery: tail)
        text = String(decoding: bytes, as: UTF8.self)
        normalizedOrigin = tail.containsDotSegment ? nil : origin
    }

    private init(text: String, hasQuery: Bool, _ normalizedOrigin: Origin?) {
        self.text = text
        self.hasQuery = hasQuery
        self.normalizedOrigin = normalizedOrigin
    }

    /// Compares the texts.
    public static func == (left: RequestURL, right: RequestURL) -> Bool { left.text == right.text }
    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Returns this URL with parameters appended to its query.
    public func adding(_ query: Query) -> RequestURL {
        let added = query.text()
        if added.isEmpty { return self }
        let separator = !hasQuery ? "?" : isQueryOpen ? "" : "&"
        var whole = text
        whole.reserveCapacity(text.utf8.count + added.utf8.count + 1)
        whole += separator
        whole += added
        return RequestURL(text: whole, hasQuery: true, normalizedOrigin)
    }

    /// True if a parameter can follow without `&`: after a trailing `&`, or the `?` that starts the query.
    private var isQueryOpen: Bool {
        let bytes = text.utf8
        return bytes.last == UInt8(ascii: "&")
            || bytes.last == UInt8(ascii: "?")
                && bytes.firstIndex(of: UInt8(ascii: "?")) == bytes.index(before: bytes.endIndex)
    }
}

extension RequestURL: RedactedStringConvertible {
    /// The URL with user, password and secret query values redacted.
    public var description: String { URL(string: text).map(Redaction.standard.redacted(_:)) ?? Redaction.placeholder }
}
