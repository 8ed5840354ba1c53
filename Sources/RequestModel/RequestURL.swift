import Foundation
public import HTTPMessages

/// Where a call goes: the text of an absolute URL without a fragment, to which query parameters can be added.
///
/// It is parsed once, when the request is made, which also checks scheme, host and port
/// (``RequestData/request(_:_:)``). Path and query are made sendable here: what is percent-encoded already stays as it
/// is, and what a URL cannot hold, such as `ä`, `[` or a blank, is percent-encoded as UTF-8. A `%` that two hexadecimal digits
/// do not follow becomes `%25`.
public struct RequestURL: Hashable, Sendable {
    /// The URL as text.
    public let text: String
    private let hasQuery: Bool

    /// An absolute URL; a fragment is dropped.
    /// - Throws: `HTTPMessageError` (`invalidURL`) when path or query contain line breaks or other control characters.
    public init(_ text: String) throws(HTTPMessageError) {
        let path = URLReference(text[...]).path.startIndex
        var bytes = Array(text[..<path].utf8)
        hasQuery = try bytes.append(pathAndQuery: text[path...].utf8)
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameters:
    ///   - prefix: a URL without query.
    ///   - tail: what stands behind it.
    init(prefix: String, tail: Substring.UTF8View) throws(HTTPMessageError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.utf8.count + tail.count + 1)
        bytes.append(contentsOf: prefix.utf8)
        if let first = tail.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "#") {
            bytes.append(UInt8(ascii: "/"))
        }
        hasQuery = try bytes.append(pathAndQuery: tail)
        text = String(decoding: bytes, as: UTF8.self)
    }

    private init(text: String, hasQuery: Bool) {
        self.text = text
        self.hasQuery = hasQuery
    }

    /// This URL with parameters behind those that it has.
    public func adding(_ query: Query) -> RequestURL {
        let added = query.text()
        if added.isEmpty { return self }
        let separator = !hasQuery ? "?" : isQueryOpen ? "" : "&"
        return RequestURL(text: text + separator + added, hasQuery: true)
    }

    /// True when a parameter may follow at once. A question mark within the query does not open it.
    private var isQueryOpen: Bool {
        let bytes = text.utf8
        return bytes.last == UInt8(ascii: "&")
            || bytes.last == UInt8(ascii: "?")
                && bytes.firstIndex(of: UInt8(ascii: "?")) == bytes.index(before: bytes.endIndex)
    }
}

extension RequestURL: CustomStringConvertible, CustomReflectable {
    /// The URL without user, password and secret query values.
    public var description: String { URL(string: text).map(Redaction.standard.text(of:)) ?? Redaction.mark }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
