import Foundation
package import HTTPMessages

extension RedirectPolicy {
    /// The redirect target of a response, or nil when the policy does not follow it.
    ///
    /// Spaces in the path and query are percent-encoded, as browsers and curl do, since many servers send them. Control
    /// characters, and spaces in the host, are errors.
    /// - Throws: `HTTPMessageError` when the `Location` is not a valid request URL.
    func target(of head: HTTPResponseHead, for request: HTTPRequest) throws(HTTPMessageError) -> URL? {
        guard head.status.kind == .redirection, methods[head.status] != nil else { return nil }
        let locations = Set(head.fields.values(of: .location))
        guard let location = locations.first, !location.isEmpty else { return nil }
        guard locations.count == 1 else {
            throw HTTPMessageError(
                .invalidURL,
                "The response has \(locations.count) different Location fields; the server must send only one.")
        }
        let url = try URLReference(location[...])
            .resolved(against: URLReference(request.url.absoluteString[...])).url()
        let (target, origin) = try HTTPRequest.normalized(url)
        return allowsOtherOrigins || origin == request.origin ? target : nil
    }

    /// The request that follows a redirect.
    /// - Parameter url: the redirect's target, or another URL.
    /// - Throws: `HTTPMessageError` when the policy or the body does not permit it.
    func request(following redirect: Redirect, to url: URL) throws(HTTPMessageError) -> HTTPRequest {
        let old = redirect.request
        let (from, to) = (old.origin, Origin(url))
        guard allowsDowngrade || !from.isSecure || to.isSecure else {
            throw HTTPMessageError(
                .unsupportedScheme,
                "The target is http, but the request was https; set `RedirectPolicy.allowsDowngrade` to permit it.")
        }
        let rule = methods[redirect.head.status] ?? .kept
        let becomesGet = rule == .becomesGet && old.method != .head || rule == .postBecomesGet && old.method == .post
        let body = becomesGet ? .empty : old.body
        guard body.isReplayable else {
            throw HTTPMessageError(
                .bodyAlreadyRead, "The request body is a stream and cannot be sent again; use bytes or a file.")
        }
        let losesContent = becomesGet && old.method != .get
        guard from == to || body.isEmpty || !old.options.hasSecretBody else {
            throw HTTPMessageError(
                .bodyNotAllowed,
                "The target is another origin, and the body contains credentials; send the request to the target.")
        }
        var request = old
        try request.setMethod(becomesGet ? .get : old.method, body: body)
        try request.setURL(url)
        if from != to {
            request.options.visitedOrigins.formUnion([from, to])
            // A server of one origin must not get the requests of another.
            request.options.unixSocketPath = nil
        }
        // Trailers describe the body, may be secret, and get their names and values only when it is sent.
        if request.body.isEmpty || from != to { request.options.trailers = nil }
        for name in old.fields.lazy.map(\.name) {
            let isDropped =
                losesContent && name.describesContent
                || from != to && (isSecret(name) || old.options.credentialFields.contains(name))
                || rule == .becomesGet && keptFields.map { !$0.contains(name) } ?? false
            if isDropped { request.fields.remove(name) }
        }
        return request
    }

    /// True for a field that no other origin gets.
    func isSecret(_ name: HTTPFieldName) -> Bool {
        [.authorization, .proxyAuthorization, .cookie].contains(name)
            || secretFields.contains(name) || secrets.isCredential(name)
    }
}

extension HTTPFieldName {
    /// Fields besides `Content-…` that describe the body or override the method.
    private static let contentFields: Set<String> = [
        "digest", "expect", "last-modified", "repr-digest", "trailer", "transfer-encoding", "x-http-method",
        "x-http-method-override", "x-method-override",
    ]

    /// True for fields to drop together with the body (RFC 9110, section 15.4).
    package var describesContent: Bool {
        canonicalName.hasPrefix("content-") || Self.contentFields.contains(canonicalName)
    }
}

extension URLReference {
    /// The URL without its fragment.
    fileprivate func url() throws(HTTPMessageError) -> URL {
        var bytes = Array(((scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "")).utf8)
        var rest = self
        (rest.scheme, rest.authority) = (nil, nil)
        try bytes.append(pathAndQuery: rest.text.replacing(" ", with: "%20")[...].utf8)
        return try URL(httpString: String(decoding: bytes, as: UTF8.self))
    }
}
