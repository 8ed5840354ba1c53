public import Foundation

/// A request that can be sent as it is: its URL, method, fields and body were checked when it was made.
///
/// ```swift
/// var request = try HTTPRequest(.post, "https://example.com/items", body: .text("[1]"))
/// try request.fields.set(.contentType, to: "application/json")
/// let response = try await transport.send(request)
/// ```
public struct HTTPRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The absolute URL: `http` or `https`, with a host, without user and password.
    public let url: URL
    /// Where the URL leads.
    package let origin: Origin
    /// The header fields. `Content-Length`, `Transfer-Encoding`, `Host` and `Connection` are the transport's own.
    public var fields: HTTPFields
    /// The body.
    public let body: HTTPBody
    /// How it is to be carried out.
    public var options: RequestOptions

    /// A checked request.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`).
    public init(
        _ method: HTTPMethod, _ url: URL, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws(HTTPMessageError) {
        guard body.isEmpty || method.allowsBody else {
            throw HTTPMessageError(.bodyNotAllowed, "A \(method) request has no body; use POST or PUT, or drop it.")
        }
        let url = url.absoluteURL
        let reference = URLReference(url.absoluteString[...])
        try Self.check(reference)
        self.method = method
        self.url = url
        origin = Origin(reference)
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

    private static func check(_ url: URLReference) throws(HTTPMessageError) {
        guard let scheme = url.scheme else {
            throw HTTPMessageError(.invalidURL, "The URL has no scheme; write http:// or https:// before the host.")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            throw HTTPMessageError(.unsupportedScheme, "Only http and https URLs can be requested, not \(scheme):.")
        }
        guard url.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
            throw HTTPMessageError(
                .userInfoInURL, "The URL holds a user or a password; send them in an Authorization header instead.")
        }
        let (host, port) = url.hostAndPort
        guard !host.isEmpty else {
            throw HTTPMessageError(.invalidURL, "The URL names no host.")
        }
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        guard
            (isEncoded ? host.removingPercentEncoding?[...] ?? " " : host).utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw HTTPMessageError(.invalidURL, "The URL's host holds blanks or control characters.")
        }
        guard port.isEmpty || Int(port).map({ (1...65_535).contains($0) }) == true else {
            throw HTTPMessageError(.invalidURL, "The URL's port is not between 1 and 65535.")
        }
    }
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
