import Authentication
import Coordination
import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// Turns tokens against cross-site request forgery on or off for the shared session; default off. See
    /// ``SDMSession/isXCSRFEnabled``.
    public class func enableXCSRF(_ isEnabled: Bool) { SDMSession.shared.isXCSRFEnabled = isEnabled }

    /// Adds the SAP client, and if enabled the token with its cookies.
    /// - Throws: the errors of the token's fetch, and `CancellationError`.
    func prepareForSAP(_ request: inout HTTPMessages.HTTPRequest) async throws {
        let settings = sessionAtStart.value
        if let client = settings.client, request.fields[SAPField.client] == nil {
            try request.fields.set(SAPField.client, to: client)
        }
        // A field of the app's own, such as that of a fetch, is left alone.
        guard settings.isXCSRFEnabled, request.fields[CSRFToken.field] == nil else { return }
        let scope = tokenScope(of: request)
        let tokens = settings.tokens
        if request.method == .get {
            // Each GET can bring the token along, so that a later write needs no request of its own for it. One that
            // may be served by a cache cannot.
            let canFetch = self.downloadCache == nil && tokens.token(for: scope) == nil
            if canFetch { try request.fields.set(CSRFToken.field, to: CSRFToken.fetch) }
        } else if !request.method.isSafe {
            let (template, url) = (request, settings.csrfTokenURL(request.url))
            let hasPassword = state.withLock(\.route.sent) != nil
            let fetch: @Sendable () async throws -> CSRFToken? = { [self] in
                try await fetchCSRFToken(from: url, like: template)
            }
            try await tokens.token(for: scope, fetch: fetch)?.apply(to: &request)
            // The server has rejected the password in the fetch. With it, the write would be another attempt.
            if hasPassword, state.withLock(\.route.sent) == nil { request.fields.remove(.authorization) }
        }
    }

    private func tokenScope(of request: HTTPMessages.HTTPRequest) -> CSRFScope {
        let user =
            userIdentity
            ?? CacheUser.secrets(of: request.withoutToken, self).map { "#" + Fingerprint.text(of: $0) }
        return CSRFScope(request, service: sessionAtStart.value.csrfTokenURL(request.url), user: user)
    }

    /// The token of a response, for the user of its request.
    private func token(in head: HTTPResponseHead, to request: HTTPMessages.HTTPRequest) -> CSRFToken? {
        var token = CSRFToken(head)
        token?.isReusable =
            userIdentity != nil || !head.setsOtherCookie(than: request) { !CSRFToken.isOwnCookie($0) }
        return token
    }

    /// Keeps the token of a response, and finds out whether the server has rejected that of the request.
    /// - Returns: true to send the request again, with another token.
    func isCSRFTokenRejected(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) -> Bool {
        guard sessionAtStart.value.isXCSRFEnabled else { return false }
        let sent = request.fields[CSRFToken.field]
        if request.method == .get {
            if sent == CSRFToken.fetch, let token = token(in: head, to: request) {
                sessionAtStart.value.tokens.learn(token, for: tokenScope(of: request))
            }
            return false
        }
        // With a field of the app's own, another attempt would send the same one.
        guard head.status == .forbidden, CSRFToken.isRequired(head), !request.method.isSafe, request.body.isReplayable,
            state.withLock(\.headers)[CSRFToken.field] == nil
        else { return false }
        if let sent { sessionAtStart.value.tokens.reject(sent) }
        return true
    }

    /// Fetches a token by a GET of its own, with this request's user, certificate and other settings.
    /// - Returns: nil if the server sends none, such as with a 401: the server then decides about the write itself.
    private func fetchCSRFToken(from url: URL, like request: HTTPMessages.HTTPRequest) async throws -> CSRFToken? {
        // The fields of the request are for its own server.
        guard Origin(url) == Origin(request.url) else {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "The URL of the CSRF token has another origin than the request; return one of the same origin from "
                    + "`SDMSession.csrfTokenURL`.")
        }
        let fetch = makeTokenFetch(from: url)
        let (settings, headers, isTrusted, home) = state.withLock {
            ($0.settings, $0.headers, $0.isHome, $0.route.home)
        }
        // After a redirect to another origin, the app's credentials stay at the first one.
        let start = sessionAtStart
        fetch.state.withLock { state in
            state.settings = settings.ofTokenFetch(url, isTrusted: isTrusted)
            if isTrusted, settings.username == nil, let credential = home?.credential {
                (state.settings.username, state.settings.password) = (credential.user, credential.password)
            }
            state.sessionAtStart = start
        }
        for field in request.fields where Self.isForwarded(field.name.canonicalName) {
            fetch.addRequestHeader(field.name.rawName, value: field.value)
        }
        for name in ["Authorization", "Cookie"] where isTrusted {
            if let value = headers[name] { fetch.addRequestHeader(name, value: value) }
        }
        fetch.addRequestHeader(CSRFToken.field, value: CSRFToken.fetch)
        do {
            let head = try await fetch.perform().head
            // That of another origin, after a redirect, is not for this request.
            return Origin(head.url) == Origin(url) ? token(in: head, to: request) : nil
        } catch let error as SDMError where error.code == .authentication {
            let rejected = fetch.state.withLock(\.rejected)
            state.withLock { state in
                state.rejected.formUnion(rejected)
                if state.route.sent?.isAmong(rejected) ?? false { state.route.sent = nil }
            }
            return nil
        }
    }

    /// False for fields of the body, conditions, and those that the fetch makes itself.
    private static func isForwarded(_ name: String) -> Bool {
        let own: Set = [
            "authorization", "proxy-authorization", "cookie", "accept-encoding", "range", "slug", "idempotency-key",
            "sap-passport", "x-correlationid", "expect",
        ]
        return !name.hasPrefix("content-") && !name.hasPrefix("if-") && !name.hasPrefix("x-http-method")
            && !own.contains(name)
    }
}

extension HTTPMessages.HTTPRequest {
    /// The request without a token and its cookies, which tell no users apart.
    fileprivate var withoutToken: Self {
        var copy = self
        copy.fields[CSRFToken.field] = nil
        let cookies = cookiePairs.filter { pair in !CSRFToken.isOwnCookie(pair.prefix { $0 != "=" }) }
        copy.fields[.cookie] = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
        return copy
    }
}

extension SDMRequestSettings {
    /// The settings of the GET that fetches a token for a request with these settings.
    fileprivate func ofTokenFetch(_ url: URL, isTrusted: Bool) -> SDMRequestSettings {
        var settings = SDMRequestSettings(url: url, timeOutSeconds: timeOutSeconds)
        settings.useSessionPersistence = useSessionPersistence
        settings.useCookiePersistence = useCookiePersistence
        settings.validatesSecureCertificate = validatesSecureCertificate
        settings.shouldAutosetLanguage = shouldAutosetLanguage
        settings.retryCountOnTimeout = retryCountOnTimeout
        settings.proxyUsername = proxyUsername
        settings.proxyPassword = proxyPassword
        guard isTrusted else { return settings }
        settings.username = username
        settings.password = password
        settings.domain = domain
        settings.authenticationScheme = authenticationScheme
        settings.shouldPresentCredentialsBeforeChallenge = shouldPresentCredentialsBeforeChallenge
        settings.useKeychainPersistence = useKeychainPersistence
        settings.requestCookies = requestCookies
        settings.clientCertificateIdentity = clientCertificateIdentity
        settings.clientCertificates = clientCertificates
        return settings
    }
}
