import Foundation
import HTTPMessages

/// A response in a cache, with what is needed to decide about it.
struct CachedResponse: Sendable {
    /// The part that is stored beside the body.
    struct Metadata: Codable, Sendable {
        /// The URL of the request.
        let key: String
        /// The URL of the response.
        let url: String
        let status: Int
        var fields: [[String]]
        /// The request's values of the fields in `Vary`.
        let variant: [String: String]
        var expires: Date?
        /// The time of the response, or of the 304 that has confirmed it last.
        var stored: Date
        /// The user of the request, as in ``SDMCacheOptions/user``.
        let user: String?
    }

    var metadata: Metadata
    let body: Data

    private static let droppedFields: Set = [
        "set-cookie", "set-cookie2", "connection", "keep-alive", "proxy-authenticate", "www-authenticate",
        "authentication-info", "proxy-authentication-info", "transfer-encoding", "x-csrf-token",
    ]

    init(
        _ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, stored: Date, expires: Date?,
        user: String? = nil
    ) {
        body = response.body
        metadata = Metadata(
            key: request.cacheKey, url: response.url.absoluteString, status: response.status.code,
            fields: Self.kept(response.fields), variant: response.head.variant(of: request), expires: expires,
            stored: stored, user: user)
    }

    init(_ metadata: Metadata, body: Data) {
        self.metadata = metadata
        self.body = body
    }

    /// The fields without cookies, tokens, challenges and those of the connection.
    private static func kept(_ fields: HTTPFields) -> [[String]] {
        fields.filter { !droppedFields.contains($0.name.canonicalName) }.map { [$0.name.rawName, $0.value] }
    }

    /// The response; nil if the metadata are damaged.
    var response: HTTPResponse? {
        guard let url = URL(string: metadata.url), let status = HTTPStatus(metadata.status), let fields else {
            return nil
        }
        return HTTPResponse(status: status, fields: fields, body: body, url: url)
    }

    private var fields: HTTPFields? {
        var fields = HTTPFields()
        for pair in metadata.fields {
            guard pair.count == 2, (try? fields.append(pair[0], pair[1])) != nil else { return nil }
        }
        return fields
    }

    /// What the entry is worth for a request.
    func entry(for request: HTTPMessages.HTTPRequest, user: String?, at now: Date) -> CacheRules.Entry {
        guard metadata.key == request.cacheKey, metadata.user == user, let head = response?.head,
            head.variant(of: request) == metadata.variant
        else { return .missing }
        // A request with `no-cache` or any `max-age` (RFC 9111, section 5.2.1) revalidates also a fresh response.
        let demand = CacheControl(request.fields)
        if let expires = metadata.expires, expires > now, !demand.noCache, demand.maxAge == nil { return .fresh }
        return validators.isEmpty ? .stale : .staleWithValidator
    }

    /// The fields of a conditional request.
    var validators: [(String, String)] {
        [("If-None-Match", fields?[.etag]), ("If-Modified-Since", fields?[.lastModified])]
            .compactMap { name, value in value.map { (name, $0) } }
    }

    /// Updates the fields by those of a 304 (RFC 9111, section 3.2).
    mutating func update(by head: HTTPResponseHead, stored: Date, expires: Date?) {
        // They describe the empty body of the 304.
        let excluded: Set = ["content-length", "content-encoding", "content-type", "content-range"]
        let new = Self.kept(head.fields).filter { !excluded.contains($0[0].lowercased()) }
        let names = Set(new.map { $0[0].lowercased() })
        metadata.fields = metadata.fields.filter { !names.contains($0[0].lowercased()) } + new
        (metadata.stored, metadata.expires) = (stored, expires)
    }
}

extension HTTPMessages.HTTPRequest {
    /// The normalized URL without its fragment.
    var cacheKey: String {
        let text = url.absoluteString
        return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }
}

extension HTTPResponseHead {
    /// A request's values of the fields that select the response.
    fileprivate func variant(of request: HTTPMessages.HTTPRequest) -> [String: String] {
        varyingNames.reduce(into: [:]) { $0[$1] = request.fields[$1] ?? "" }
    }
}
