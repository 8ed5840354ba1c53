import Foundation
import HTTPCaching
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

    init(
        _ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, stored: Date, expires: Date?,
        user: String? = nil
    ) {
        body = response.body
        metadata = Metadata(
            key: request.cacheKey, url: response.url.absoluteString, status: response.status.code,
            fields: Self.pairs(ResponseRules.stored(response.fields)), variant: response.head.variant(of: request),
            expires: expires,
            stored: stored, user: user)
    }

    init(_ metadata: Metadata, body: Data) {
        self.metadata = metadata
        self.body = body
    }

    /// The stored fields as names and values.
    private static func pairs(_ fields: HTTPFields) -> [[String]] { fields.map { [$0.name.rawName, $0.value] } }

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
        if let expires = metadata.expires, expires > now, !ResponseRules.restrictsAge(request) { return .fresh }
        return validating(request) == nil ? .stale : .staleWithValidator
    }

    /// The conditional request; nil without a validator.
    func validating(_ request: HTTPMessages.HTTPRequest) -> HTTPMessages.HTTPRequest? {
        fields.flatMap { ResponseRules.validating(request, $0) }
    }

    /// Updates the fields by those of a 304 (RFC 9111, section 3.2).
    mutating func update(by head: HTTPResponseHead, stored: Date, expires: Date?) {
        if let fields { metadata.fields = Self.pairs(ResponseRules.updated(fields, by: head.fields)) }
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
