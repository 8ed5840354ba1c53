import Authentication
import Coordination
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension SDMHttpRequest {
    /// Turns tokens against cross-site request forgery on or off for the shared session; default off. See
    /// ``SDMSession/isXCSRFEnabled``.
    public class func enableXCSRF(_ isEnabled: Bool) { SDMSession.shared.isXCSRFEnabled = isEnabled }

    /// Adds the SAP client, and if enabled the token with its cookies.
    /// - Returns: the rejection of credentials in the token's fetch, which may be that of another request; nil without.
    /// - Throws: the errors of the token's fetch, and `CancellationError`.
    func prepareForSAP(_ request: inout HTTPMessages.HTTPRequest) async throws -> CredentialRejection? {
        let settings = sessionAtStart.value
        if let client = settings.client, request.fields[SAPField.client] == nil {
            try request.fields.set(SAPField.client, to: client)
        }
        // A field of the app's own, such as that of a fetch, is left alone.
        guard settings.isXCSRFEnabled, request.fields[CSRFToken.field] == nil else { return nil }
        let scope = tokenScope(of: request)
        let tokens = settings.tokens
        if request.method == .get {
            // Each GET can bring the token along, so that a later write needs no request of its own for it. One that
            // may be served by the session's cache cannot; one that a cache in the transport serves brings none.
            let canFetch = self.downloadCache == nil && tokens.token(for: scope) == nil
            if canFetch { try request.fields.set(CSRFToken.field, to: CSRFToken.fetch) }
        } else if !request.method.isSafe {
            let (template, url) = (request, settings.csrfTokenURL(request.url))
            let fetched: CSRFFetch
            do {
                fetched = try await tokens.token(for: scope) { [self] in
                    try await fetchCSRFToken(from: url, like: template)
                }
            } catch let error as SDMError where !error.isCancellation {
                throw SDMError(
                    error.code,
                    "The CSRF token of the \(request.method.name) could not be fetched: \(error.message)",
                    underlying: Self.withoutResponse(error.underlying))
            }
            try fetched.token?.apply(to: &request)
            return fetched.rejection
        }
        return nil
    }

    /// The cause of a failed fetch without the response of the fetch, which says nothing about the write.
    /// - Returns: nil for a body that is too long, since that response would count as the write's.
    private static func withoutResponse(_ cause: (any Error)?) -> (any Error)? {
        guard var error = cause as? TransportError else { return cause }
        error.head = nil
        return error.code == .responseTooLarge ? nil : error
    }

    private func tokenScope(of request: HTTPMessages.HTTPRequest) -> CSRFScope {
        let message = request.withoutToken
        // A cookie may be that of a login, or of all users: then the name that the app has set counts too.
        let user =
            userName(of: message)
            ?? CacheUser.secrets(of: message, self).map {
                "#" + Fingerprint.text(of: $0 + Array("\n\(statedUser ?? "")".utf8))
            }
        return CSRFScope(request, service: sessionAtStart.value.csrfTokenURL(request.url), user: user)
    }

    /// The token of a response, for the user of its request.
    /// - Parameter user: that of the credentials with which the server has accepted the request; nil without.
    private func token(in head: HTTPResponseHead, to request: HTTPMessages.HTTPRequest, user: String?) -> CSRFToken? {
        var token = CSRFToken(head)
        let isOfUser = user != nil && user == userName(of: request.withoutToken)
        token?.isReusable = isOfUser || !head.setsOtherCookie(than: request) { !CSRFToken.isOwnCookie($0) }
        return token
    }

    /// Keeps the token of a response, and finds out whether the server has rejected that of the request.
    /// - Returns: true to send the request again, with another token.
    func isCSRFTokenRejected(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) -> Bool {
        guard sessionAtStart.value.isXCSRFEnabled else { return false }
        let sent = request.fields[CSRFToken.field]
        if request.method == .get {
            if sent == CSRFToken.fetch, let token = token(in: head, to: request, user: credentialUser) {
                sessionAtStart.value.tokens.learn(token, for: tokenScope(of: request))
            }
            return false
        }
        // With a field of the app's own, another attempt would send the same one.
        guard head.status == .forbidden, CSRFToken.isRequired(head), !request.method.isSafe, request.body.isReplayable,
            state.withLock({ $0.headers[CSRFToken.field] == nil })
        else { return false }
        if let sent { sessionAtStart.value.tokens.reject(sent) }
        return true
    }

    /// Fetches a token by a GET of its own, with this request's user, certificate and other settings.
    /// - Returns: no token if the server sends none, such as with a 401: unless that has rejected credentials, the
    ///   server decides about the write itself.
    /// - Throws: the other errors of the GET.
    private func fetchCSRFToken(from url: URL, like request: HTTPMessages.HTTPRequest) async throws -> CSRFFetch {
        // The fields of the request are for its own server.
        guard Origin(url) == Origin(request.url) else {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "The URL of the CSRF token has another origin than the request; return one of the same origin from "
                    + "`SDMSession.csrfTokenURL`.")
        }
        let fetch = makeTokenFetch(from: url)
        let (settings, headers, isTrusted, route) = state.withLock { ($0.settings, $0.headers, $0.isHome, $0.route) }
        // After a redirect to another origin, the app's credentials stay at the first one.
        let start = sessionAtStart
        var options = state.withLock { $0.options } ?? RequestOptions()
        options.visitedOrigins = request.options.visitedOrigins
        // The total timeout, the limit and the body are those of one write, and others may wait for the token.
        options.timeouts.total = nil
        options.maximumResponseBytes = RequestOptions().maximumResponseBytes
        options.trailers = nil
        if !isTrusted { options.unixSocketPath = nil }
        options.redirectPolicy = .byPolicy
        // A cache in the transport keeps the response without the token.
        options.cachePolicy = .noStore
        fetch.state.withLock { [options] state in
            state.options = options
            state.settings = settings.ofTokenFetch(url, isTrusted: isTrusted)
            let ofURL = isTrusted && settings.username == nil ? route.home?.credential : nil
            // Those of the attempt are for this origin, and the server has not rejected them.
            if let credential = route.sent?.credential ?? ofURL {
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
        let rejected = try await fetch.runInTask()
        guard let head = fetch.responseHead else { throw fetch.error ?? SDMError.cancelled }
        // A response of another origin, after a redirect, is not for this request.
        let isOwn = Origin(head.url) == Origin(url)
        guard let error = fetch.error else {
            return CSRFFetch(isOwn ? token(in: head, to: request, user: fetch.credentialUser) : nil)
        }
        guard error.code == .authentication, head.status == .unauthorized || head.isProxyChallenge else { throw error }
        guard isOwn, !rejected.isEmpty else { return CSRFFetch(nil) }
        let response = HTTPResponse(head: head, body: fetch.responseData ?? Data())
        return CSRFFetch(nil, rejection: CredentialRejection(credentials: rejected, response: response))
    }

    /// False for fields of the body, conditions, and those that the fetch makes itself.
    fileprivate static func isForwarded(_ name: String) -> Bool {
        let own: Set = [
            "authorization", "proxy-authorization", "cookie", "accept-encoding", "range", "slug", "idempotency-key",
            "sap-passport", "x-correlationid", "expect",
        ]
        return !name.hasPrefix("content-") && !name.hasPrefix("if-") && !name.hasPrefix("x-http-method")
            && !own.contains(name)
    }
}

extension HTTPMessages.HTTPRequest {
    /// The request with the fields that its fetch has too, without a token and its cookies: the others tell no users
    /// apart.
    fileprivate var withoutToken: Self {
        var copy = self
        copy.fields[CSRFToken.field] = nil
        for field in fields where !SDMHttpRequest.isForwarded(field.name.canonicalName) {
            copy.fields.remove(field.name)
        }
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
