public import Authentication
import Coordination
import Foundation
import HTTPMessages
import JSON
import Synchronization
import Transport

extension OAuthLogin {
    /// The tokens of an earlier sign-in, which are in the store; nil if there are none.
    ///
    /// It sends nothing but the request for the metadata. The tokens may have expired or be revoked: then the first
    /// call fails with `AuthenticationError` (`signInRequired`).
    /// - Parameter scopes: those of the sign-in.
    /// - Throws: errors of ``metadata()``, and of the store.
    public func storedTokens(scopes: OAuthScope) async throws -> OAuthClient? {
        let tokens = try await oauthClient(scopes, metadata())
        try await tokens.reload()
        return try await tokens.isSignedIn() ? tokens : nil
    }

    /// Removes the tokens here and in the store, then revokes them at the server (RFC 7009), if it offers that.
    ///
    /// It waits for a refresh in flight, and revokes what that obtains, and what another client of the store has
    /// obtained. If its task is cancelled, it removes the tokens without that wait. Then call
    /// `CredentialCache.removeAll()`, also after an error. Sign out an outbox before: after the next sign-in each
    /// client of this login sends as the next user.
    /// - Parameter tokens: what a sign-in of this login, or of one with the same server and client, has returned. All
    ///   clients of that login are signed out; one of another login with the same store is at its next token request.
    /// - Throws: ``SignInError``: `revocationFailed` if the tokens are removed, but may still be valid at the server;
    ///   `invalidConfiguration` for tokens of another login, which stay as they are. The error of a store that cannot
    ///   be written, with revoked tokens in it; the next sign-out tries again.
    public func signOut(_ tokens: OAuthClient) async throws {
        let loaded = await outcome { try await metadata() }
        // Without a network, the tokens are removed here at least, and go to no server that was not compared.
        try check(tokens, try? loaded.get())
        let removed = await tokens.removeTokens()
        let revoked = await outcome { try await revoke(removed.tokens, at: loaded.get().revocationEndpoint) }
        if let error = revoked.failure {
            throw failure(removed, "\(server.issuer.shown) did not confirm that they are revoked; they", error)
        }
        if let error = removed.loadError {
            throw failure(removed, "the store could not be read: tokens that another process has stored", error)
        }
        if let error = removed.saveError { throw error }
    }

    private func failure(_ removed: RemovedTokens, _ reason: String, _ underlying: any Error) -> SignInError {
        SignInError(
            .revocationFailed,
            "The tokens are removed here\(removed.saveError == nil ? "" : ", except from the store"), but \(reason) may "
                + "be valid until they expire.", underlying: underlying)
    }

    /// Tokens must not be sent to the server of another login.
    private func check(_ tokens: OAuthClient, _ metadata: OAuthServerMetadata?) throws(SignInError) {
        let (url, id) = (metadata?.tokenEndpoint ?? tokens.endpoint.url, client.id)
        guard tokens.endpoint.url == url, tokens.endpoint.client.id == id else {
            throw SignInError(
                .invalidConfiguration,
                "The tokens are of another login: of client \(tokens.endpoint.client.id.shown) at "
                    + "\(tokens.endpoint.url.absoluteString.shown), and this one is \(id.shown) at "
                    + "\(url.absoluteString.shown); pass them to the login that has returned them.")
        }
    }

    private func outcome<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// The refresh token first: most servers revoke the access tokens with it.
    private func revoke(_ tokens: TokenSet, at url: URL?) async throws {
        guard !tokens.isEmpty, let url else { return }
        let endpoint = try endpoint(url, for: .revocation)
        if let token = tokens.refreshToken {
            try await endpoint.response(
                to: [("token", token), ("token_type_hint", "refresh_token")], client: client
            ).accepted()
        }
        for token in tokens.tokens.values {
            let response = try await endpoint.response(
                to: [("token", token.value), ("token_type_hint", "access_token")], client: client)
            // Such a server lets access tokens expire.
            if response.errorCode != "unsupported_token_type" { try response.accepted() }
        }
    }

    /// Requests tokens. If their response is refused, those in it are revoked.
    func issue(_ parameters: [(String, String)], _ metadata: OAuthServerMetadata) async throws -> IssuedTokens {
        let network = TokenRecorder(transport)
        do {
            return try await tokenEndpoint(metadata, over: network).issue(parameters, client: client)
        } catch {
            await revokeLost(network.tokens, metadata)
            throw error
        }
    }

    /// Checks the ID token, and stores the others. If that fails, the tokens are revoked.
    /// - Parameter nonce: what was sent for the ID token; nil for a device.
    func keep(
        _ issued: IssuedTokens, _ scopes: OAuthScope, _ metadata: OAuthServerMetadata, nonce: String?
    ) async throws -> SignInResult {
        do {
            return try await result(of: issued, scopes, metadata, nonce: nonce)
        } catch {
            let lost = TokenSet(tokens: [scopes: issued.token], refreshToken: issued.token.refreshToken)
            await revokeLost(lost, metadata)
            throw error
        }
    }

    /// Revokes tokens that the app never gets, as far as that is possible.
    private func revokeLost(_ tokens: TokenSet, _ metadata: OAuthServerMetadata) async {
        // A task of its own, since that of the sign-in may be cancelled.
        let revocation = Task(executorPreference: WorkerThreads.calls) { [self] in
            try await revoke(tokens, at: metadata.revocationEndpoint)
        }
        _ = await revocation.result
    }

    private func result(
        of issued: IssuedTokens, _ scopes: OAuthScope, _ metadata: OAuthServerMetadata, nonce: String?
    ) async throws -> SignInResult {
        let check = IDTokenCheck(
            issuer: metadata.issuer, client: client.id, nonce: nonce, now: serverClock.now,
            tolerance: settings.clockTolerance)
        let idToken = try issued.idToken.map { try check.token($0) }
        guard idToken != nil || !scopes.names.contains("openid") else {
            throw SignInError(
                .invalidIDToken,
                "No ID token in the response of \(metadata.issuer.shown), though `openid` was requested; allow that scope to "
                    + "this client, or leave it out.")
        }
        try Task.checkCancellation()
        let tokens = try oauthClient(scopes, metadata)
        try await tokens.signInOnceSaved(with: issued.token)
        return SignInResult(
            tokens: tokens, scopes: issued.token.scope.isEmpty ? scopes : issued.token.scope, idToken: idToken)
    }

    private func oauthClient(_ scopes: OAuthScope, _ metadata: OAuthServerMetadata) throws -> OAuthClient {
        let endpoint = try tokenEndpoint(metadata, over: transport)
        return state.withLock { state in
            let tokens =
                state.tokens
                ?? OAuthClient(endpoint, grant: .refreshToken(), store: store, storeFailed: storeFailed)
            state.tokens = tokens
            return OAuthClient(sharing: tokens, scope: scopes)
        }
    }

    private func tokenEndpoint(
        _ metadata: OAuthServerMetadata, over transport: some Transport
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            metadata.tokenEndpoint.absoluteString, client: client, over: transport, timeouts: settings.timeouts,
            clock: serverClock, allowsInsecureURL: false, proof: proof)
    }

    func endpoint(_ url: URL, for purpose: OAuthEndpoint.Purpose) throws -> OAuthEndpoint {
        try OAuthEndpoint(
            url.absoluteString, for: purpose, over: transport, timeouts: settings.timeouts, clock: serverClock)
    }

    /// Runs a sign-in; if its task is cancelled, it fails with the one error for that.
    func checkingCancellation<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch  where error.isCancellation && !(error is SignInError) {
            throw SignInError(.cancelled, SignInError.cancelled.message, underlying: error)
        }
    }
}

/// Keeps the tokens of the last response, which may be refused for something else in it.
private final class TokenRecorder: Transport {
    private let base: AnyTransport
    private let body = Mutex(Data())

    init(_ base: AnyTransport) { self.base = base }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await base.send(request, observer: observer)
        body.withLock { $0 = response.body }
        return response
    }

    var tokens: TokenSet {
        let members = try? JSONValue(parsing: body.withLock { $0 })
        let token = { (name: String) in members?[name]?.string.flatMap { try? OAuthToken($0) } }
        return TokenSet(
            tokens: token("access_token").map { [.empty: $0] } ?? [:], refreshToken: token("refresh_token")?.value)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
