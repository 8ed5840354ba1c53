/// The response of an entry (HAR 1.2, `response`).
public struct HARResponse: Codable, Hashable, Sendable {
    /// The status; 0 if there was no response.
    public var status: Int
    /// The reason phrase.
    public var statusText: String
    /// The version of HTTP, such as `HTTP/1.1`; empty if unknown.
    public var httpVersion: String
    /// The cookies that the response sets.
    public var cookies: [HARCookie]
    /// The header fields, in their order.
    public var headers: [HARPair]
    /// The body.
    public var content: HARContent
    /// The value of `Location`; empty without one.
    public var redirectURL: String
    /// The bytes of the head; -1 if unknown.
    public var headersSize: Int
    /// The bytes of the body as they were received; -1 if unknown.
    public var bodySize: Int
    /// Why there was no response, in the custom field `_error` as in Chrome's archives.
    public var error: String?

    /// Creates a response.
    public init(
        status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", cookies: [HARCookie] = [],
        headers: [HARPair] = [], content: HARContent = HARContent(size: 0, mimeType: "x-unknown"),
        redirectURL: String = "", headersSize: Int = -1, bodySize: Int = -1
    ) {
        self.status = status
        self.statusText = statusText
        self.httpVersion = httpVersion
        self.cookies = cookies
        self.headers = headers
        self.content = content
        self.redirectURL = redirectURL
        self.headersSize = headersSize
        self.bodySize = bodySize
    }

    /// No response, because of an error; its text must not contain secrets.
    public static func failure(_ error: String) -> HARResponse {
        var response = HARResponse(status: 0, httpVersion: "")
        response.error = error
        return response
    }

    private enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case error = "_error"
    }

    /// Decodes a response, of which only the status must be there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        statusText = try container.decodeIfPresent(String.self, forKey: .statusText) ?? ""
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        cookies = try container.decodeIfPresent([HARCookie].self, forKey: .cookies) ?? []
        headers = try container.decodeIfPresent([HARPair].self, forKey: .headers) ?? []
        content =
            try container.decodeIfPresent(HARContent.self, forKey: .content)
            ?? HARContent(size: 0, mimeType: "x-unknown")
        redirectURL = try container.decodeIfPresent(String.self, forKey: .redirectURL) ?? ""
        headersSize = try container.decodeSize(forKey: .headersSize)
        bodySize = try container.decodeSize(forKey: .bodySize)
        error = try container.decodeIfPresent(String.self, forKey: .error)
    }
}
