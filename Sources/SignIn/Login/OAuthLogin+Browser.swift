public import Authentication
import Coordination
import Foundation
import HTTPMessages
import RequestModel

extension OAuthLogin {
    /// Signs the user in with a browser.
    /// - Parameters:
    ///   - scopes: what the tokens are for; with `openid`, the server has to send an ID token.
    ///   - browser: shows the page, such as `.systemBrowser`.
    ///   - parameters: further ones of the authorization request, such as `prompt` and `login_hint`.
    /// - Returns: the tokens, for `authorizing(with:at:)`.
    /// - Throws: ``SignInError``; `AuthenticationError` of the token endpoint and the store; errors of the transport.
    public func tokens(
        scopes: OAuthScope, opening browser: some SignInBrowser, parameters: [String: String] = [:]
    ) async throws -> OAuthClient {
        try await signIn(scopes: scopes, opening: browser, parameters: parameters).tokens
    }

    /// Signs the user in with a closure as the browser.
    ///
    /// Not generic, so that `opening: .custom { ... }` compiles: in the generic method a closure of a static member
    /// loses its `@Sendable` (Swift 6.3).
    /// - Parameters: as those of the generic method.
    public func tokens(
        scopes: OAuthScope, opening browser: ClosureBrowser, parameters: [String: String] = [:]
    ) async throws -> OAuthClient {
        try await signIn(scopes: scopes, opening: browser, parameters: parameters).tokens
    }

    /// Signs the user in with a browser, and returns the ID token too.
    ///
    /// The former tokens of the store are replaced. They are not, unless the sign-in succeeds.
    /// - Parameters: as those of ``tokens(scopes:opening:parameters:)``.
    public func signIn(
        scopes: OAuthScope, opening browser: some SignInBrowser, parameters: [String: String] = [:]
    ) async throws -> SignInResult {
        try await checkingCancellation {
            let metadata = try await metadata()
            guard let endpoint = metadata.authorizationEndpoint else {
                throw unsupported("it has no authorization endpoint; use `tokens(scopes:showing:)`")
            }
            try check(metadata)
            let listener = try listener()
            var random = SystemRandomNumberGenerator()
            let request = try AuthorizationRequest(
                metadata: metadata, redirectURI: listener?.uri ?? "\(redirect)", scope: scopes, extra: parameters,
                keyThumbprint: proof?.thumbprint, random: &random)
            let url = try await url(of: request, at: endpoint, metadata)
            let login = PendingLogin(request)
            add(login)
            defer { login.end() }
            let page = SignInPage(url: url, redirectURI: request.redirectURI)
            // Until there are tokens, so that a duplicate response gets a page too.
            let issued = try await listening(listener?.listener, for: login) {
                try await issue(
                    [
                        ("grant_type", "authorization_code"), ("code", try await code(for: login, page, browser)),
                        ("redirect_uri", request.redirectURI), ("code_verifier", request.verifier),
                    ], metadata)
            }
            return try await keep(issued, scopes, metadata, nonce: request.nonce)
        }
    }

    /// Signs the user in with a closure as the browser, and returns the ID token too.
    /// - Parameters: as those of the generic method.
    public func signIn(
        scopes: OAuthScope, opening browser: ClosureBrowser, parameters: [String: String] = [:]
    ) async throws -> SignInResult {
        let browser: some SignInBrowser = browser
        return try await signIn(scopes: scopes, opening: browser, parameters: parameters)
    }

    /// What the server says about itself must allow the flow; what it leaves out is tried.
    private func check(_ metadata: OAuthServerMetadata) throws(SignInError) {
        try checkProof(metadata)
        for (value, list) in [
            ("code", "response_types_supported"), ("authorization_code", "grant_types_supported"),
            ("S256", "code_challenge_methods_supported"),
        ] where !metadata.allows(value, in: list) {
            throw unsupported("`\(list)` has no `\(value)`, which the authorization code flow with PKCE needs")
        }
    }

    func checkProof(_ metadata: OAuthServerMetadata) throws(SignInError) {
        let list = "dpop_signing_alg_values_supported"
        guard proof == nil || metadata.allows(DPoPProof.algorithm, in: list) else {
            throw unsupported("`\(list)` has no `\(DPoPProof.algorithm)`; leave out the key for DPoP")
        }
    }

    func unsupported(_ reason: String) -> SignInError {
        SignInError(.unsupported, "The server \(server.issuer.shown) does not support this sign-in: \(reason).")
    }

    private func listener() throws(SignInError) -> (listener: LoopbackListener, uri: String)? {
        guard case .loopback(let port, let path) = redirect.kind else { return nil }
        let listener = try LoopbackListener(port: port, path: path)
        return (listener, "http://\(listener.host):\(listener.port)\(path)")
    }

    /// The URL that the browser opens; the request is pushed if the server offers that.
    private func url(
        of request: AuthorizationRequest, at endpoint: URL, _ metadata: OAuthServerMetadata
    ) async throws -> URL {
        guard let pushing = metadata.pushedAuthorizationRequestEndpoint else {
            return try request.url(at: endpoint, client: client.id)
        }
        let response = try await self.endpoint(pushing, for: .pushedAuthorization).response(
            to: [("client_id", client.id)] + request.parameters, client: client)
        let members = try response.accepted()
        guard let uri = members?["request_uri"]?.string, !uri.isEmpty, uri.utf8.count <= 4096 else {
            throw response.invalid("`request_uri` is missing, or longer than 4 KiB")
        }
        return try AuthorizationRequest.url(at: endpoint, client: client.id, requestURI: uri)
    }

    /// Runs a listener while there are no tokens.
    private func listening<Value>(
        _ listener: LoopbackListener?, for login: PendingLogin, _ body: () async throws -> Value
    ) async throws -> Value {
        listener?.start { query in
            do throws(SignInError) {
                try login.receive(query)
                return .success
            } catch {
                return RedirectPage(error)
            }
        }
        do {
            let value = try await body()
            await listener?.stop()
            return value
        } catch {
            await listener?.stop()
            throw error
        }
    }

    /// Opens the browser, and waits for the code, the end of the browser, the timeout, or the cancellation.
    private func code(
        for login: PendingLogin, _ page: SignInPage, _ browser: some SignInBrowser
    ) async throws -> String {
        let timeout = settings.responseTimeout
        let timer = clock.schedule(at: clock.now + timeout) { login.fail(.timedOut(after: timeout)) }
        defer { timer.cancel() }
        // Not a child task, for whose end the sign-in would wait.
        let opening = Task(executorPreference: WorkerThreads.calls) {
            do {
                guard let redirect = try await browser.open(page) else { return }
                try login.receive(login.request.query(of: redirect))
            } catch let error as SignInError {
                login.fail(error)
            } catch {
                login.fail(
                    SignInError(
                        .browser, "The browser could not show the page of the sign-in; see the underlying error.",
                        underlying: error))
            }
        }
        defer { opening.cancel() }
        return try await login.code()
    }
}
