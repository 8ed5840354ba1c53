import Authentication
import Foundation
import HTTPMessages

/// The vendor's reading of challenges, and its way to a token.
///
/// | status | `WWW-Authenticate` | reaction |
/// |---|---|---|
/// | 401 | `Bearer … error="invalid_token"` | another token of the same scope |
/// | 401 | `Bearer` otherwise | a token of the default scope, which is learned for the resource |
/// | 403 | `Bearer … error="insufficient_scope", scope="…"` | a token of that scope, which is learned for the resource |
/// | 403 | `Bearer` without a scope | none: the call fails. The vendor's SDK would wait forever. |
/// | other | | none |
struct MobileFirstAuthorizer: Authorizer {
    let service: AuthorizationService
    let date: @Sendable () -> Date
    /// The scopes that resources asked for, by URL and method.
    let scopes = ScopeCache()

    /// The vendor's limit for each call.
    var maximumReplays: Int { 4 }

    func scope(of request: HTTPRequest) -> OAuthScope? {
        guard request.mayGetToken else { return nil }
        return request.options.authorizationScope ?? scopes.scope(of: request)
    }

    func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: OAuthScope?
    ) -> ChallengeReaction<OAuthScope> {
        // A call whose session has ended needs no token, and opens no dialog.
        guard request.mayGetToken, request.options.session == service.state.session,
            let wanted = Self.scope(wantedBy: response, sent: scope)
        else { return .deliver }
        if wanted != scope { scopes.set(wanted, of: request) }
        return .authorize(wanted)
    }

    /// The scope that a response asks for; nil if it is no challenge for a token.
    static func scope(wantedBy response: HTTPResponseHead, sent scope: OAuthScope?) -> OAuthScope? {
        let bearer = response.challenges.filter { $0.scheme == "bearer" }
        guard !bearer.isEmpty else { return nil }
        switch response.status {
        case .unauthorized:
            return bearer.contains { $0["error"] == "invalid_token" } ? scope ?? .empty : .empty
        case .forbidden:
            return bearer.lazy.compactMap { $0["scope"] }.first.map { OAuthScope($0) }
        default:
            return nil
        }
    }

    /// - Throws: ``WLError`` (`cancelled`) if the token is of another session than the request.
    func authorize(_ request: inout HTTPRequest, with credential: ServerToken) throws {
        guard request.options.session == credential.session else { throw WLError.sessionEnded }
        credential.token.apply(to: &request)
    }

    func obtain(_ need: CredentialNeed<OAuthScope, ServerToken>) async throws -> IssuedCredential<ServerToken> {
        let issued = try await service.token(for: need.scope, replacing: need.previous)
        return IssuedCredential(issued, lifetime: issued.token.lifetime(at: date()))
    }
}

extension HTTPRequest {
    /// True if the origin may get a token of the session in which the app made the call.
    fileprivate var mayGetToken: Bool { options.tokenOrigins?.contains(origin) ?? false }
}
