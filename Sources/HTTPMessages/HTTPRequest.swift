public import Foundation

/// A request that can be sent as it is: its URL, method, fields and body are checked when they are set.
///
/// ```swift
/// var request = try HTTPRequest(.post, "https://example.com/items", body: .text("[1]"))
/// try request.fields.set(.contentType, to: "application/json")
/// let response = try await transport.send(request)
/// ```
///
/// A layer changes a request instead of making another, so that fields and options stay:
///
/// ```swift
/// var retry = request
/// try retry.setURL("https://mirror.example.com/items")
/// try retry.setMethod(.put)
/// ```
public struct HTTPRequest: Sendable {
    /// The method.
    public private(set) var method: HTTPMethod
    /// The absolute URL: `http` or `https`, with a host, without user and password, normalized.
    ///
    /// Scheme and host are in lower case, the scheme's own port is left out, an empty path is `/`, and the dot segments of
    /// the path are resolved (RFC 3986, section 6.2). Percent-encoding stays as it is, because servers may sign or
    /// compare the text.
    public private(set) var url: URL
    /// Where the URL leads.
    package private(set) var origin: Origin
    /// The header fields. `Content-Length`, `Transfer-Encoding`, `Host` and `Connection` are the transport's own.
    public var fields: HTTPFields
    /// The body.
    public private(set) var body: HTTPBody
    /// How it is to be carried out.
    public var options: RequestOptions

    /// A checked request.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`).
    public init(
        _ method: HTTPMethod, _ url: URL, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws(HTTPMessageError) {
        try Self.check(method, body)
        self.method = method
        (self.url, origin) = try Self.normalized(url)
        self.fields = fields
        self.body = body
        self.options = options
    }

    /// A checked request to a URL given as text.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`).
    public init(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws(HTTPMessageError) {
        try self.init(method, Self.url(of: url), fields: fields, body: body, options: options)
    }

    /// The absolute URL of a text. Characters that a path or query cannot hold, such as `ä` and blanks, are
    /// percent-encoded as UTF-8; existing percent-encoding is kept; control characters are refused.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public static func url(of text: String) throws(HTTPMessageError) -> URL {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let url = try parse(text) else {
            throw HTTPMessageError(
                .invalidURL,
                "The URL is empty, malformed, or contains a line break or another control character.")
        }
        return url
    }

    private static func parse(_ text: String) throws(HTTPMessageError) -> URL? {
        if let url = URL(string: text, encodingInvalidCharacters: false) { return url }
        // Where Foundation encodes it does so twice for what is encoded already, so only the host is left to it.
        let path = URLReference(text[...]).path.startIndex
        var bytes = Array(text[..<path].utf8)
        _ = try bytes.append(pathAndQuery: text[path...].utf8)
        return URL(string: String(decoding: bytes, as: UTF8.self))
    }

    /// Checks a URL, and normalizes it as ``url`` says.
    package static func normalized(_ url: URL) throws(HTTPMessageError) -> (URL, Origin) {
        let url = url.absoluteURL
        let text = url.absoluteString
        let reference = URLReference(text[...])
        try check(reference)
        let normalized = reference.normalized
        let origin = Origin(normalized)
        guard normalized.text != text else { return (url, origin) }
        guard let url = URL(string: normalized.text) else {
            throw HTTPMessageError(.invalidURL, "The URL is malformed.")
        }
        return (url, origin)
    }

    private static func check(_ method: HTTPMethod, _ body: HTTPBody) throws(HTTPMessageError) {
        guard body.isEmpty || method.allowsBody else {
            throw HTTPMessageError(
                .bodyNotAllowed, "A \(method) request has no body; use POST or PUT, or leave the body out.")
        }
    }

    private static func check(_ url: URLReference) throws(HTTPMessageError) {
        guard let scheme = url.scheme else {
            throw HTTPMessageError(.invalidURL, "The URL has no scheme; write http:// or https:// before the host.")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            throw HTTPMessageError(.unsupportedScheme, "Unsupported URL scheme \(scheme); use http or https.")
        }
        guard url.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
            throw HTTPMessageError(
                .userInfoInURL, "The URL contains a user or a password; send them in an Authorization header instead.")
        }
        let (host, port) = url.hostAndPort
        guard !host.isEmpty else {
            throw HTTPMessageError(.invalidURL, "The URL has no host; write it after http:// or https://.")
        }
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        guard
            (isEncoded ? host.removingPercentEncoding?[...] ?? " " : host).utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw HTTPMessageError(.invalidURL, "The URL's host contains a blank or a control character.")
        }
        guard port.isEmpty || Int(port).map({ (1...65_535).contains($0) }) == true else {
            throw HTTPMessageError(.invalidURL, "The URL's port is out of range; use 1 to 65535.")
        }
    }
}

extension HTTPRequest {
    /// Sends the request elsewhere. Fields stay as they are: drop those that are secret before another origin gets them.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`); the request is unchanged then.
    public mutating func setURL(_ url: URL) throws(HTTPMessageError) {
        (self.url, origin) = try Self.normalized(url)
    }

    /// Sends the request elsewhere, to a URL given as text.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`); the request is unchanged then.
    public mutating func setURL(_ url: String) throws(HTTPMessageError) { try setURL(Self.url(of: url)) }

    /// Changes the method, and the body if one is given.
    /// - Throws: `HTTPMessageError` (`bodyNotAllowed`); the request is unchanged then.
    public mutating func setMethod(_ method: HTTPMethod, body: HTTPBody? = nil) throws(HTTPMessageError) {
        let body = body ?? self.body
        try Self.check(method, body)
        (self.method, self.body) = (method, body)
    }

    /// Changes the body.
    /// - Throws: `HTTPMessageError` (`bodyNotAllowed`); the request is unchanged then.
    public mutating func setBody(_ body: HTTPBody) throws(HTTPMessageError) { try setMethod(method, body: body) }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL, without secrets.
    public var description: String { "\(method) \(redactedURL)" }
    /// The URL without secrets.
    package var redactedURL: String { Redaction.standard.text(of: url) }
    /// Shows the parts, without secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "fields": fields, "body": body, "options": options])
    }
}
