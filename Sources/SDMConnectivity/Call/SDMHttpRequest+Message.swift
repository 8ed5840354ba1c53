import Coordination
import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import Transport

extension SDMHttpRequest {
    /// The body size up to which the whole request has the longer timeout: the send buffer of the vendor's library.
    private static let sendBufferBytes: Int64 = 128 << 10

    /// The HTTP request of the next attempt, without credentials that are not a header of the app.
    /// - Throws: ``SDMError``, or the errors of invalid URLs, headers and bodies.
    func makeMessage() throws -> HTTPMessages.HTTPRequest {
        let (settings, headers, content, isHome, dropsBody) = state.withLock { state in
            (
                state.settings, state.headers, state.route.dropsBody ? .empty : state.body.content, state.isHome,
                state.route.dropsBody
            )
        }
        guard let url = settings.url else { throw SDMError.noURL }
        var fields = HTTPFields()
        for (name, value) in headers.lines where isHome || !RedirectRules.isSecret(name) {
            // The transport sets the length of the body that it sends, which may be compressed.
            if !["content-length", "cookie"].contains(name.lowercased()) { try fields.append(name, value) }
        }
        let cookies = [isHome ? headers.own("Cookie") : nil, cookieHeader].compactMap(\.self)
        if !cookies.isEmpty { try fields.set(.cookie, to: cookies.joined(separator: "; ")) }
        var body = content
        if settings.shouldCompressRequestBody, !body.isEmpty {
            body = try ContentCoding.gzip.encode(body)
            try fields.set(.contentEncoding, to: ContentCoding.gzip.name)
        }
        let method = try HTTPMethod(settings.requestMethod)
        let (callOptions, deadline, visitedOrigins) = state.withLock {
            ($0.options, $0.deadline, $0.route.visitedOrigins)
        }
        var options = callOptions ?? RequestOptions()
        options.timeouts = options.timeouts.filled(
            by: try Self.timeouts(settings.timeOutSeconds, bodyLength: content.length ?? 0))
        options.maximumResponseBytes = maximumResponseBytes
        // A layer in the session's transport signs nothing for another origin that a redirect has named.
        options.visitedOrigins.formUnion(visitedOrigins)
        if !isHome { options.unixSocketPath = nil }
        if !isHome || dropsBody { options.trailers = nil }
        // The engine must not send a write twice; the vendor's library did not keep its connection either.
        if !method.isSafe || !settings.shouldAttemptPersistentConnection { options.usesNewConnection = true }
        var message = try HTTPMessages.HTTPRequest(
            method, url.withoutUserInfo, fields: fields, body: body, options: options)
        guard let deadline else { return message }
        let rest = deadline - session.clock.now
        guard rest > .zero else {
            throw TransportError.timedOut(
                .total, "Timed out: the request, and those before it in its call, took longer than its total timeout.",
                request: message, head: responseHead)
        }
        message.options.timeouts.reduceTotal(to: rest)
        return message
    }

    /// The most bytes of a body in memory: as the caller of a transport has set it, else as the session.
    var maximumResponseBytes: Int {
        let limit = state.withLock { $0.options?.maximumResponseBytes }
        guard let limit, limit != RequestOptions().maximumResponseBytes else {
            return session.configuration.maximumResponseBytes
        }
        return limit
    }

    /// The redirects that the caller of a transport permits.
    var redirects: RequestRedirects { state.withLock { $0.options?.redirectPolicy } ?? .byPolicy }

    /// The timeouts for an inactive connection, 1.5 times as long with a body.
    static func timeouts(_ seconds: Double, bodyLength: Int64) throws(HTTPMessageError) -> Timeouts {
        guard seconds > 0 || seconds.isNaN else { return Timeouts(response: nil, idle: nil) }
        let short = try Duration.timeout(seconds: seconds)
        let long = try Duration.timeout(seconds: seconds * 1.5)
        switch bodyLength {
        case ...0: return Timeouts(response: short, idle: short)
        case ...sendBufferBytes: return Timeouts(response: long, idle: long)
        default: return Timeouts(response: long, idle: short)
        }
    }
}

extension SDMError {
    /// The error of a request without a URL.
    static let noURL = SDMError(
        .unableToCreateRequest, "Unable to create the request: it has no URL; set `url` before it starts.")
}

extension URL {
    /// The URL without user and password.
    var withoutUserInfo: URL {
        guard user() != nil || password() != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }
}
