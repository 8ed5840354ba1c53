public import Foundation

/// A validated request: URL, method, fields and body are checked when they are set.
///
/// ```swift
/// var request = try HTTPRequest(.post, "https://example.com/items", body: .text("[1]"))
/// try request.fields.set(.contentType, to: "application/json")
/// let response = try await transport.send(request)
/// ```
///
/// A layer modifies a copy of a request instead of creating a new one, so that fields and options are preserved:
///
/// ```swift
/// var retry = request
/// try retry.setURL("https://mirror.example.com/items")
/// try retry.setMethod(.put)
/// ```
public struct HTTPRequest: Sendable {
    /// The method.
    public private(set) var method: HTTPMethod
    /// The absolute `http` or `https` URL, with a host, without user information, normalized.
    ///
    /// Normalization (RFC 3986, section 6.2) lowercases scheme and host, drops the scheme's default port, replaces an
    /// empty path by `/`, and removes dot segments. Percent-encoding is unchanged, because servers may sign or compare
    /// the URL.
    public private(set) var url: URL
    /// The origin of ``url``.
    package private(set) var origin: Origin
    /// The header fields. The transport sets `Content-Length`, `Transfer-Encoding`, `Host` and `Connection`.
    public var fields: HTTPFields
    /// The body.
    public private(set) var body: HTTPBody
    /// Settings for this request, which are not sent.
    public var options: RequestOptions

    /// Creates a validated request.
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

    /// Creates a validated request to a URL string.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`).
    public init(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws(HTTPMessageError) {
        try self.init(method, URL(httpString: url), fields: fields, body: body, options: options)
    }

    /// Creates a request to a URL that is valid and normalized already, such as one below a base URL.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `bodyNotAllowed`).
    package init(
        _ method: HTTPMethod, normalized url: String, _ origin: Origin, fields: HTTPFields, body: HTTPBody,
        options: RequestOptions
    ) throws(HTTPMessageError) {
        try Self.check(method, body)
        self.method = method
        self.url = try URL(httpString: url)
        self.origin = origin
        self.fields = fields
        self.body = body
        self.options = options
    }

    /// Validates a URL and normalizes it as described at ``url``.
    package static func normalized(_ url: URL) throws(HTTPMessageError) -> (URL, Origin) {
        let url = url.absoluteURL
        let text = url.absoluteString
        let reference = URLReference(text[...])
        try check(reference)
        let normalized = reference.normalized
        let origin = Origin(normalized)
        guard normalized.text != text else { return (url, origin) }
        guard let url = URL(string: normalized.text) else {
            throw HTTPMessageError(.invalidURL, "Invalid URL: malformed after normalization; check the host.")
        }
        return (url, origin)
    }

    private static func check(_ method: HTTPMethod, _ body: HTTPBody) throws(HTTPMessageError) {
        guard body.isEmpty || method.allowsBody else {
            throw HTTPMessageError(
                .bodyNotAllowed, "\(method) does not allow a body; use POST or PUT, or omit the body.")
        }
    }

    private static func check(_ url: URLReference) throws(HTTPMessageError) {
        guard let scheme = url.scheme else {
            throw HTTPMessageError(.invalidURL, "Invalid URL: no scheme; write http:// or https:// before the host.")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            // `localhost:8080` has the scheme `localhost`.
            let isPort = url.path.first?.isNumber == true
            let remedy = isPort ? "write http:// or https:// before a host and its port" : "use http or https"
            throw HTTPMessageError(.unsupportedScheme, "Unsupported URL scheme \(scheme); \(remedy).")
        }
        guard url.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
            throw HTTPMessageError(
                .userInfoInURL, "URL contains a user or a password; use an Authorization header instead.")
        }
        let (host, port) = url.hostAndPort
        guard !host.isEmpty else {
            throw HTTPMessageError(.invalidURL, "Invalid URL: no host; write it after http:// or https://.")
        }
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        guard
            (isEncoded ? host.removingPercentEncoding?[...] ?? " " : host).utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw HTTPMessageError(
                .invalidURL, "Invalid URL: the host contains whitespace or a control character; remove it.")
        }
        guard port.isEmpty || Int(port).map({ (1...65_535).contains($0) }) == true else {
            throw HTTPMessageError(.invalidURL, "Invalid URL: port out of range; use 1 to 65535.")
        }
    }
}

extension HTTPRequest {
    /// Changes the URL. Fields are unchanged: remove secret ones before sending to another origin.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`); the request is unchanged
    ///   then.
    public mutating func setURL(_ url: URL) throws(HTTPMessageError) {
        (self.url, origin) = try Self.normalized(url)
    }

    /// Changes the URL to a string's URL. Fields are unchanged.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`); the request is unchanged
    ///   then.
    public mutating func setURL(_ url: String) throws(HTTPMessageError) { try setURL(URL(httpString: url)) }

    /// Changes the method, and the body unless it is nil.
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

extension URL {
    /// Creates a URL from a string, percent-encoding invalid characters of path and query.
    ///
    /// Characters such as `ä` and spaces are encoded as UTF-8; existing percent-encoding is kept.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for an empty or malformed string, and for control characters.
    public init(httpString string: String) throws(HTTPMessageError) {
        guard !string.isEmpty, string.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let url = try Self.encodingPathAndQuery(of: string)
        else {
            let hasScheme = string.isEmpty || string.contains("://")
            throw HTTPMessageError(
                .invalidURL,
                hasScheme
                    ? "Invalid URL: empty, malformed, or with a line break or another control character."
                    : "Invalid URL: malformed, and without a scheme; write `https://` or `http://` before the host.")
        }
        self = url
    }

    private static func encodingPathAndQuery(of string: String) throws(HTTPMessageError) -> URL? {
        if let url = URL(string: string, encodingInvalidCharacters: false) { return url }
        // Foundation's encoding would encode existing percent signs again. So it only gets to encode the host.
        let path = URLReference(string[...]).path.startIndex
        var bytes = Array(string[..<path].utf8)
        _ = try bytes.append(pathAndQuery: string[path...].utf8)
        return URL(string: String(decoding: bytes, as: UTF8.self))
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method and redacted URL.
    public var description: String { "\(method) \(redactedURL)" }
    /// The URL with secrets redacted, for logs and errors.
    package var redactedURL: String { Redaction.standard.redacted(url) }
    /// The parts, with secrets redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "fields": fields, "body": body, "options": options])
    }
}
