import Foundation
import HTTPMessages

extension RedirectPolicy {
    /// Where a response leads, or nil when it is none to follow.
    /// - Throws: `HTTPMessageError` when its `Location` is no URL that a request can be sent to.
    func target(of head: HTTPResponseHead, for request: HTTPRequest) throws(HTTPMessageError) -> URL? {
        guard head.status.kind == .redirection, methods[head.status] != nil else { return nil }
        let locations = Set(head.fields.values(of: .location))
        guard let location = locations.first, !location.isEmpty else { return nil }
        guard locations.count == 1 else {
            throw HTTPMessageError(.invalidURL, "The response has several Location fields that differ.")
        }
        let url = try URLReference(location[...])
            .resolved(against: URLReference(request.url.absoluteString[...])).url()
        // Its checks are those for every URL; that of the method is left to the request that is sent.
        return try HTTPRequest(.get, url).url
    }

    /// The request that goes to a redirect's target.
    /// - Parameter url: the target, or where else to go.
    /// - Throws: `HTTPMessageError` when it cannot be sent there.
    func request(following redirect: Redirect, to url: URL) throws(HTTPMessageError) -> HTTPRequest {
        let old = redirect.request
        let (from, to) = (old.origin, Origin(url))
        guard allowsDowngrade || !from.isSecure || to.isSecure else {
            throw HTTPMessageError(
                .unsupportedScheme, "It leads from https to http; set allowsDowngrade if everybody may read along.")
        }
        let rule = methods[redirect.head.status] ?? .kept
        let becomesGet = rule == .becomesGet && old.method != .head || rule == .postBecomesGet && old.method == .post
        let body = becomesGet ? .empty : old.body
        guard body.isReplayable else {
            throw HTTPMessageError(
                .bodyAlreadyRead, "It asks for the body again, which can be sent only once; use bytes or a file.")
        }
        let losesContent = becomesGet && old.method != .get
        var fields = old.fields
        for name in old.fields.lazy.map(\.name) {
            let isDropped =
                losesContent && name.describesContent
                || from != to && isSecret(name)
                || rule == .becomesGet && keptFields.map { !$0.contains(name) } ?? false
            if isDropped { fields.remove(name) }
        }
        return try HTTPRequest(becomesGet ? .get : old.method, url, fields: fields, body: body, options: old.options)
    }

    private func isSecret(_ name: HTTPFieldName) -> Bool {
        [.authorization, .proxyAuthorization, .cookie].contains(name)
            || secretFields.contains(name) || secrets.isSecret(name.spelling)
    }
}

extension HTTPFieldName {
    /// What else than `Content-…` says something about a body, or about a method that is no more.
    private static let contentFields: Set<String> = [
        "digest", "expect", "last-modified", "repr-digest", "trailer", "transfer-encoding", "x-http-method",
        "x-http-method-override", "x-method-override",
    ]

    /// True for fields that mean nothing without the body that they came with (RFC 9110, section 15.4).
    fileprivate var describesContent: Bool {
        canonical.hasPrefix("content-") || Self.contentFields.contains(canonical)
    }
}

extension URLReference {
    /// The URL without its fragment, which is never sent.
    fileprivate func url() throws(HTTPMessageError) -> URL {
        var bytes = Array(((scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "")).utf8)
        var rest = self
        (rest.scheme, rest.authority) = (nil, nil)
        // Several `Location` fields arrive as one, joined by a comma and a blank; which one is meant is unknown.
        guard !rest.text.utf8.contains(UInt8(ascii: " ")) else {
            throw HTTPMessageError(.invalidURL, "The redirect's Location contains a blank.")
        }
        try bytes.append(pathAndQuery: rest.text[...].utf8)
        return try HTTPRequest.url(of: String(decoding: bytes, as: UTF8.self))
    }
}
