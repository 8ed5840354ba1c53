import Foundation

/// The request of an entry (HAR 1.2, `request`).
public struct HARRequest: Codable, Hashable, Sendable {
    /// The method.
    public var method: String
    /// The absolute URL, without a fragment.
    public var url: String
    /// The version of HTTP, such as `HTTP/1.1`; empty if unknown.
    public var httpVersion: String
    /// The cookies.
    public var cookies: [HARCookie]
    /// The header fields, in their order.
    public var headers: [HARPair]
    /// The parameters of the query, decoded.
    public var queryString: [HARPair]
    /// The body; nil without one.
    public var postData: HARPostData?
    /// The bytes of the head; -1 if unknown.
    public var headersSize: Int
    /// The bytes of the body as they are sent; -1 if unknown.
    public var bodySize: Int

    /// Creates a request.
    public init(
        method: String, url: String, httpVersion: String = "HTTP/1.1", cookies: [HARCookie] = [],
        headers: [HARPair] = [], queryString: [HARPair] = [], postData: HARPostData? = nil, headersSize: Int = -1,
        bodySize: Int = -1
    ) {
        self.method = method
        self.url = url
        self.httpVersion = httpVersion
        self.cookies = cookies
        self.headers = headers
        self.queryString = queryString
        self.postData = postData
        self.headersSize = headersSize
        self.bodySize = bodySize
    }

    private enum CodingKeys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    }

    /// Decodes a request, of which only method and URL must be there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        httpVersion = try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
        cookies = try container.decodeIfPresent([HARCookie].self, forKey: .cookies) ?? []
        headers = try container.decodeIfPresent([HARPair].self, forKey: .headers) ?? []
        queryString = try container.decodeIfPresent([HARPair].self, forKey: .queryString) ?? []
        postData = try container.decodeIfPresent(HARPostData.self, forKey: .postData)
        headersSize = try container.decodeSize(forKey: .headersSize)
        bodySize = try container.decodeSize(forKey: .bodySize)
    }
}

/// A name and a value: of a header field, or of a parameter of a query.
public struct HARPair: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a pair.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    private enum CodingKeys: String, CodingKey { case name, value }

    /// Decodes a pair; a missing value is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        value = try container.decodeIfPresent(String.self, forKey: .value) ?? ""
    }
}

/// A cookie of a request or a response, with its attributes as they are written in the archive.
public struct HARCookie: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// The attribute `Path`.
    public var path: String?
    /// The attribute `Domain`.
    public var domain: String?
    /// The time of expiry in ISO 8601.
    public var expires: String?
    /// The attribute `HttpOnly`.
    public var httpOnly: Bool?
    /// The attribute `Secure`.
    public var secure: Bool?

    /// Creates a cookie without attributes.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension KeyedDecodingContainer {
    /// A number of bytes, which some tools leave out, set to null or write as a fraction; -1 if it is unknown.
    func decodeSize(forKey key: Key) throws -> Int {
        try decodeIfPresent(Double.self, forKey: key).flatMap { Int(exactly: $0.rounded()) } ?? -1
    }
}
