package import Foundation
package import HTTPMessages

/// The rules of a private cache for a facade that stores responses itself, by policies of its vendor.
///
/// Only explicit lifetimes count.
package struct ResponseRules: Hashable, Sendable {
    private static let rules = CacheRules { $0.heuristicFraction = 0 }

    /// False to ignore `Cache-Control` and `Expires` of responses.
    package var respectsCacheControl = true

    package init() {}

    /// True for a response that may be stored.
    package func isStorable(_ head: HTTPResponseHead, to request: HTTPRequest) -> Bool {
        var head = head
        if !respectsCacheControl { head.fields.remove(.cacheControl) }
        return Storability(rules: Self.rules).storable(head, to: request, requestTime: 0, responseTime: 0) != nil
    }

    /// True for a response with a directive against storing it.
    package func forbidsStoring(_ head: HTTPResponseHead) -> Bool {
        respectsCacheControl && ResponseDirectives(head.fields).noStore
    }

    /// Seconds from its receipt for which a response is fresh, negative if it was stale then; nil for one without a
    /// lifetime, or which must be revalidated in any case.
    package func lifetime(of head: HTTPResponseHead, receivedAt now: Date) -> Double? {
        guard respectsCacheControl else { return nil }
        let directives = ResponseDirectives(head.fields)
        guard !directives.noCache, directives.maxAge != nil || head.expires != nil else { return nil }
        let seconds = now.timeIntervalSince1970
        return Freshness(
            head.status, head.fields, directives, requestTime: seconds, responseTime: seconds, rules: Self.rules
        ).timeToLive(at: seconds)
    }

    /// The fields to store: without cookies, tokens, challenges and those of the connection.
    package static func stored(_ fields: HTTPFields) -> HTTPFields {
        FieldRules.stored(fields, ResponseDirectives(fields), rules)
    }

    /// Stored fields, updated by those of a 304.
    package static func updated(_ stored: HTTPFields, by new: HTTPFields) -> HTTPFields {
        FieldRules.updated(stored, by: Self.stored(new))
    }

    /// The key of a request among the variants of a response, by the fields in its `Vary`; nil if they may be secrets,
    /// which would have to be stored, and for `*`, malformed names, and too many of them.
    package static func variant(of request: HTTPRequest, by fields: HTTPFields) -> String? {
        Variant.names(in: fields).flatMap { Variant.plainKey(of: request, names: $0) }
    }

    /// A request that asks whether a stored response is still valid; nil if that has no validator.
    package static func validating(_ request: HTTPRequest, _ stored: HTTPFields) -> HTTPRequest? {
        Preconditions.validating(request, stored)
    }

    /// False for a 304 with another validator than that of the stored response.
    package static func isAbout(_ stored: HTTPFields, notModified new: HTTPFields) -> Bool {
        Preconditions.isAbout(stored, notModified: new)
    }

    /// True until a response expires, unless the clock was set back behind its receipt.
    package static func isFresh(until expires: Date, receivedAt time: Date, at now: Date) -> Bool {
        expires > now && !Freshness.isFuture(time.timeIntervalSince1970, at: now.timeIntervalSince1970)
    }

    /// True for a request that demands a revalidation of a fresh response too, or one of a certain age.
    package static func restrictsAge(_ request: HTTPRequest) -> Bool { RequestDirectives(request.fields).restrictsAge }
}

extension HTTPResponseHead {
    fileprivate var expires: HTTPDate? { fields[.expires].flatMap { HTTPDate(strictly: $0) } }

    /// The URLs whose stored responses this response to an unsafe method makes invalid (RFC 9111, section 4.4).
    ///
    /// That of the request, and those of the same origin in `Location` and `Content-Location`.
    package func invalidatedURLs(by request: HTTPRequest) -> [URL] {
        guard !request.method.isSafe, (200..<400).contains(status.code) else { return [] }
        let base = URLReference(request.url.absoluteString[...])
        let others = fields.filter { $0.name == .location || $0.name == .contentLocation }
            .compactMap { URL(string: URLReference($0.value[...]).resolved(against: base).text) }
        return [request.url] + others.filter { Origin($0) == request.origin }
    }
}
