import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Synchronization

/// The code flow of OAuth (RFC 6749, section 4.1) for a registration whose checks are passed: a code, then a token.
struct CodeFlow {
    let requests: AuthorizationRequests
    let servers: ClientState.Servers
    let registration: Registration

    private var redirectURI: String { requests.state.configuration.redirectURI }

    func token(for scope: String) async throws -> OAuthToken {
        let code = try await code(for: scope)
        return try await endpoint(assertionID: code).token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
        ])
    }

    /// - Returns: nil if the server refuses the refresh token (RFC 6749, section 5.2); then the app signs in again.
    /// - Throws: errors after which the refresh token can be sent again, such as for the statuses 404, 429 and 503.
    func token(refreshToken: String) async throws -> OAuthToken? {
        do {
            return try await endpoint(assertionID: nil).token([
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken),
            ])
        } catch let error as AuthenticationError
            where error.refusesGrant
        {
            return nil
        }
    }

    /// Requests an authorization code. Its redirect is read, and never followed.
    private func code(for scope: String) async throws -> String {
        let query = [
            ("response_type", "code"), ("client_id", registration.clientID), ("scope", scope),
            ("redirect_uri", redirectURI),
        ]
        let url = try servers.authorization.appending("api/az/v1/authorization").text
        let response = try await requests.send(
            HTTPRequest(.get, "\(url)?\(URIComponent.encode(query))", options: requests.options()))
        guard response.status.kind == .redirection, let location = response.fields[.location] else {
            throw WLError.refused(response, "authorization")
        }
        let parts = location.split(separator: "?", maxSplits: 1)
        guard let target = parts.first, target == redirectURI[...] || target == redirectURI + "/" else {
            throw WLError(
                .authorization,
                "ERROR_OAUTH_PREVENT_REDIRECT: the authorization endpoint redirects to another URL than the redirect "
                    + "URI; set `WLConfiguration.redirectURI` if the server uses another one.",
                response: WLResponse(HTTPResponse(status: response.status, url: response.url)))
        }
        let parameters = Query(parsing: parts.count == 2 ? String(parts[1].prefix { $0 != "#" }) : "")
        guard let code = parameters["code"], !code.isEmpty else {
            throw WLError(
                .authorization,
                "AUTHORIZATION_FAILURE: the server refused an authorization code: \(parameters["error"] ?? "no reason").",
                response: WLResponse(HTTPResponse(status: response.status, url: response.url)))
        }
        return code
    }

    /// The token endpoint with an assertion of the client.
    /// - Parameter assertionID: the code that is exchanged; nil for a refresh token.
    private func endpoint(assertionID: String?) throws -> TokenEndpoint {
        let clock = requests.serverClock.copy()
        let client = ClientAuthentication.assertion(clientID: registration.clientID) { [requests, registration] in
            // After a refusal, the endpoint's clock has the server's `Date`.
            requests.serverClock.synchronize(with: clock.now)
            return try await requests.assertion(registration, id: assertionID, audience: "az/v1/token")
        }
        return try requests.tokenEndpoint(servers, client: client, clock: clock)
    }
}

extension AuthenticationError {
    /// True if the server itself has refused a token request, so that the same one would be refused again.
    ///
    /// Some servers refuse with status 200 and an `error`. A page is that of a proxy.
    var refusesGrant: Bool {
        guard code == .refused, let head else { return false }
        switch head.status {
        case let status where status.isSuccessful: return true
        case .requestTimeout, .tooManyRequests: return false
        case .badRequest, .unauthorized, .forbidden: return oauthError != nil || head.mediaType?.isJSON ?? true
        case let status: return status.kind == .clientError && oauthError != nil
        }
    }
}
