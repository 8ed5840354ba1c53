import Foundation
import HTTPMessages
import Transport

/// Whether a response may be stored (RFC 9111, section 3).
struct Storability: Hashable, Sendable {
    let rules: CacheRules

    /// True for a request whose response may be stored at all.
    static func permits(_ request: HTTPRequest, _ directives: RequestDirectives) -> Bool {
        !directives.noStore && request.options.cachePolicy != .noStore
            && (request.method == .get || request.method == .query || request.method.mayRespondToGET)
    }

    /// What is stored of a response, without its body; nil if it may not be stored.
    func storable(
        _ head: HTTPResponseHead, to request: HTTPRequest, requestTime: Double, responseTime: Double
    ) -> StoredResponse? {
        guard Self.permits(request, RequestDirectives(request.fields)) else { return nil }
        let directives = ResponseDirectives(head.fields)
        guard permits(head, directives, to: request), !head.hasSecretTarget,
            let varying = Variant.names(in: head.fields),
            head.redirects.isEmpty, head.url.isSame(as: request.url)
        else { return nil }
        var fields = FieldRules.stored(head.fields, directives, rules)
        // That of the bytes that were sent.
        if head.decodedContentCodings != nil { fields["Content-Digest"] = nil }
        // Almost always, and then they need not be parsed again.
        let isSame =
            fields.count == head.fields.count
            || fields.contains(.cacheControl) && fields[.cacheControl] == head.fields[.cacheControl]
        return StoredResponse(
            head.status, fields, requestTime: requestTime, responseTime: responseTime, varying: varying,
            body: StoredBody(Data()), directives: isSame ? directives : nil, rules: rules)
    }

    /// True if the directives of a response permit to store it.
    func permits(_ head: HTTPResponseHead, _ directives: ResponseDirectives, to request: HTTPRequest) -> Bool {
        guard head.status.code >= 200, head.status != .notModified else { return false }
        if directives.mustUnderstand {
            guard head.status.isUnderstood else { return false }
        } else if directives.noStore {
            return false
        }
        if rules.isShared {
            guard !directives.isPrivate else { return false }
            if request.fields.contains(.authorization) {
                guard directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil else {
                    return false
                }
            }
        }
        if request.method.mayRespondToGET { return isForGet(head, directives, request) }
        let hasLifetime =
            directives.maxAge != nil || head.fields.contains(.expires)
            || rules.isShared && directives.sharedMaxAge != nil
        return hasLifetime || directives.isPublic || !rules.isShared && directives.isPrivate
            || head.status.isHeuristicallyCacheable
    }

    /// True for a response to `POST` or `PATCH` that is also that to `GET`: by its `Content-Location`, and with an
    /// explicit lifetime (RFC 9110, section 9.3.3; RFC 5789, section 2).
    private func isForGet(
        _ head: HTTPResponseHead, _ directives: ResponseDirectives, _ request: HTTPRequest
    ) -> Bool {
        guard head.status == .ok, directives.maxAge != nil || head.fields.contains(.expires),
            let location = head.fields[.contentLocation]
        else { return false }
        let base = URLReference(request.url.absoluteString[...])
        let target = URL(string: URLReference(location[...]).resolved(against: base).text)
        return target?.normalizedCacheKey == request.url.cacheKey
    }

    /// True if a body has the length that its head states, and its part the stated range.
    static func isWhole(_ head: HTTPResponseHead, byteCount: Int) -> Bool {
        if let length = head.fields[.contentLength] {
            // A layer below may have decoded the body, and then removed the field.
            guard length.trimmingHTTPWhitespace == String(byteCount) else { return false }
        }
        guard head.status == .partialContent else { return true }
        guard let range = head.contentRange?.range else { return false }
        return range.count == byteCount
    }
}

extension HTTPMethod {
    /// True for a method whose response may also be that to `GET`.
    var mayRespondToGET: Bool { self == .post || self == .patch }
}

extension HTTPResponseHead {
    /// True for a redirect to a URL with a secret, such as the code of a sign-in.
    fileprivate var hasSecretTarget: Bool {
        guard let target = fields[.location].flatMap({ URL(string: $0) }) else { return false }
        let redaction = Redaction.standard.forDecisions
        // The fragment has a token after an implicit sign-in.
        return [redaction.redactedByNames(target), target.fragment().map { redaction.redacted(form: $0) }]
            .contains { $0?.contains(Redaction.placeholder) ?? false }
    }

    /// The parsed `Content-Range`.
    var contentRange: ContentRange? { fields[.contentRange].flatMap { ContentRange(parsing: $0) } }
}

extension URL {
    /// True if both are the same but for their fragments, also in another spelling of scheme, host and port.
    fileprivate func isSame(as normalized: URL) -> Bool {
        let key = normalized.cacheKey
        return cacheKey == key || normalizedCacheKey == key
    }
}
