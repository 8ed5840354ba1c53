import Foundation
import HTTPCaching
import HTTPMessages

/// A response in a cache, with what is needed to decide about it.
struct CachedResponse: Sendable {
    /// The part that is stored beside the body.
    struct Metadata: Codable, Sendable {
        /// The URL of the request.
        let key: String
        /// The URL of the response, without its fragment.
        let url: String
        let status: Int
        var fields: [[String]]
        /// The key of the request by the fields in `Vary`; nil for a variant that must not be kept.
        let variant: String?
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
            key: request.url.cacheKey, url: response.url.cacheKey, status: response.status.code,
            fields: Self.pairs(ResponseRules.stored(response.fields)),
            variant: ResponseRules.variant(of: request, by: response.fields), expires: expires, stored: stored,
            user: user)
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
        guard metadata.key == request.url.cacheKey, metadata.user == user, let variant = metadata.variant, let fields,
            ResponseRules.variant(of: request, by: fields) == variant
        else { return .missing }
        // A request with `no-cache` or any `max-age` (RFC 9111, section 5.2.1) revalidates also a fresh response.
        if let expires = metadata.expires, !ResponseRules.restrictsAge(request),
            ResponseRules.isFresh(until: expires, receivedAt: metadata.stored, at: now)
        {
            return .fresh
        }
        return validating(request) == nil ? .stale : .staleWithValidator
    }

    /// The conditional request; nil without a validator.
    func validating(_ request: HTTPMessages.HTTPRequest) -> HTTPMessages.HTTPRequest? {
        fields.flatMap { ResponseRules.validating(request, $0) }
    }

    /// True if a 304 is about this response (RFC 9111, section 4.3.4): the request has its validators, and the 304 no
    /// others.
    func isConfirmed(by head: HTTPResponseHead, to request: HTTPMessages.HTTPRequest) -> Bool {
        guard let fields, validating(request)?.fields == request.fields else { return false }
        return ResponseRules.isAbout(fields, notModified: head.fields)
    }

    /// Updates the fields by those of a 304 (RFC 9111, section 3.2).
    mutating func update(by head: HTTPResponseHead, stored: Date) {
        if let fields { metadata.fields = Self.pairs(ResponseRules.updated(fields, by: head.fields)) }
        metadata.stored = stored
    }

    /// True if its URL has a secret, which is not written to a file.
    var hasSecretURL: Bool {
        [metadata.key, metadata.url].contains { text in
            guard let url = URL(string: text) else { return true }
            return Redaction.standard.forDecisions.redactedByNames(url) != url.absoluteString
        }
    }
}
