import Authentication
import Coordination
public import Delegation
public import Foundation
import HTTPMessages
import RequestModel
import Transport

/// The scope of a token without further rights.
public let WL_DEFAULT_ACCESS_TOKEN_SCOPE = "RegisteredClient"  // swift-format-ignore: AlwaysUseLowerCamelCase
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In the text of the error for a redirect of the authorization endpoint to another URL.
public let ERROR_OAUTH_PREVENT_REDIRECT = "ERROR_OAUTH_PREVENT_REDIRECT"
/// In the text of the error for a cancelled challenge, on the vendor's other platforms.
public let ERROR_OAUTH_CANCELED = "CHALLENGE_HANDLING_CANCELED"  // swift-format-ignore: AlwaysUseLowerCamelCase

/// Tokens, login and logout of a client.
///
/// One authorization runs at a time: tokens are obtained one after another, and calls for one scope share one; a login
/// or logout meanwhile fails with `alreadyInProgress`. Completion handlers are called exactly once, on
/// ``WLClient/delivery``. Thread-safe. Optionals are implicitly unwrapped, as Swift imports the vendor's class;
/// ``WLAuthorizationManagerSwift`` has a shared instance that is not optional.
public class WLAuthorizationManager: @unchecked Sendable {
    // Unchecked because the class has a subclass: all stored properties are immutable and `Sendable`.

    private let state: ClientState
    private let authorization: AuthorizationService
    private let credentials: CredentialCache<MobileFirstAuthorizer>

    init(state: ClientState, authorization: AuthorizationService, credentials: CredentialCache<MobileFirstAuthorizer>) {
        self.state = state
        self.authorization = authorization
        self.credentials = credentials
    }

    /// The manager of the shared client. Never nil here.
    public class func sharedInstance() -> WLAuthorizationManager! { WLClient.instance.manager }

    /// The URL of a separate authorization server; nil, the default, is the MobileFirst server.
    ///
    /// Only `authorization` and `token` go there. An invalid URL is reported to ``WLConfiguration/warn`` and ignored.
    public var authorizationServerURL: URL! {
        get { state.authorizationServer.flatMap { URL(string: $0.text) } }
        set { setAuthorizationServerURL(newValue) }
    }

    /// Sets ``authorizationServerURL``.
    public func setAuthorizationServerURL(_ url: URL!) {
        guard let url else { return state.setAuthorizationServer(nil) }
        do {
            state.setAuthorizationServer(try .init(url.absoluteString))
        } catch {
            state.configuration.warn("Invalid URL of the authorization server: \(error.message)")
        }
    }

    /// The timeout of each request to the authorization server, in seconds; default 10. Nil is the default.
    public var timeOut: NSNumber! {
        get { NSNumber(value: state.loginTimeout) }
        set { state.loginTimeout = newValue?.doubleValue ?? state.configuration.loginTimeout }
    }
    /// Sets ``timeOut``.
    @_disfavoredOverload
    public func setLoginTimeOut(_ timeOut: NSNumber!) { self.timeOut = timeOut }
    /// Sets ``timeOut``.
    public func setLoginTimeOut(_ timeOut: TimeInterval) { state.loginTimeout = timeOut }
    /// `setLoginTimeOut(_:)` with the label of the vendor's Swift class.
    public func setLoginTimeOut(timeOut: TimeInterval) { state.loginTimeout = timeOut }
    /// `setLoginTimeOut(_:)` in the spelling of the vendor's plugin.
    @_disfavoredOverload
    public func setLoginTimeout(_ timeOut: NSNumber!) { self.timeOut = timeOut }
    /// `setLoginTimeOut(_:)` in the spelling of the vendor's plugin.
    public func setLoginTimeout(_ timeOut: TimeInterval) { state.loginTimeout = timeOut }

    // MARK: Async

    /// Obtains a token: the cached one, or a new one.
    /// - Parameter scope: names separated by spaces, in any order; nil or empty is the default scope.
    /// - Throws: ``WLError``.
    public func obtainAccessToken(forScope scope: String?) async throws(WLError) -> AccessToken {
        try await token(for: scope, in: state.session)
    }

    /// Logs in to a security check. Its handler is called too; no token is obtained.
    /// - Throws: ``WLError``: `authorization` if the check fails, `alreadyInProgress` during another authorization.
    public func login(_ securityCheck: String, withCredentials credentials: [AnyHashable: Any]?) async throws(WLError) {
        try await logIn(securityCheck, Self.json(credentials), authorization.begin(.login))
    }

    /// Logs out of a security check, and deletes **all** tokens, also if the server does not respond.
    /// - Throws: ``WLError``: `notRegistered` before registration, `alreadyInProgress` during another authorization.
    public func logout(_ securityCheck: String) async throws(WLError) {
        try await logOut(securityCheck, beginLogout())
    }

    /// - Parameter session: that in which the app made the call.
    private func token(for scope: String?, in session: Int) async throws(WLError) -> AccessToken {
        let scope = OAuthScope(scope)
        do {
            guard session == state.session else { throw WLError.sessionEnded }
            let credential = try await credentials.credential(for: scope)
            guard credential.session == session else { throw WLError.sessionEnded }
            return AccessToken(credential.token, for: scope)
        } catch let error as AuthenticationError where error.code == .recursiveRefresh {
            throw WLError.calledByHandler()
        } catch {
            throw WLError(error).inSession(session, of: state)
        }
    }

    private func logIn(
        _ check: String, _ credentials: Result<JSONValue, WLError>, _ exchange: StartedExchange
    ) async throws(WLError) {
        do {
            // Calls of the challenge's handler do not wait for the login.
            try await RunningWork.run(for: self.credentials) {
                try await authorization.login(check, credentials, exchange)
            }
        } catch {
            throw WLError(error)
        }
    }

    /// Begins a logout, and deletes the tokens at once, so that no later call is one of the former user.
    ///
    /// Until the end of the logout, calls wait for new tokens.
    private func beginLogout() -> StartedExchange {
        let exchange = authorization.begin(.logout)
        if exchange.refusal == nil {
            state.beginSession()
            credentials.removeAll(endsWaits: false)
            // Their dialogs are the former user's, like that for a token.
            authorization.handlers.endGatewayChallenges()
        }
        return exchange
    }

    private func logOut(_ check: String, _ exchange: StartedExchange) async throws(WLError) {
        do {
            try await authorization.logout(check, exchange)
        } catch {
            throw WLError(error)
        }
    }

    private static func json(_ credentials: [AnyHashable: Any]?) -> Result<JSONValue, WLError> {
        Result { () throws(WLError) in
            do throws(JSONError) {
                return try JSONValue(foundation: credentials.map { $0 as Any } ?? [String: Any]())
            } catch {
                throw WLError(.invalidRequest, "The credentials are not JSON: \(error.message)")
            }
        }
    }

    // MARK: Completion handlers

    /// Obtains a token; see ``obtainAccessToken(forScope:)``.
    @discardableResult
    public func obtainAccessToken(
        forScope scope: String!, withCompletionHandler completionHandler: @escaping (AccessToken?, (any Error)?) -> Void
    ) -> WLCall {
        // On this thread, as below: the app may set another server before the work begins.
        let session = state.session
        return WLCall.start(delivery: state.delivery) {
            try await self.token(for: scope, in: session)
        } completion: { result in
            switch result {
            case .success(let token): completionHandler(token, nil)
            case .failure(let error): completionHandler(nil, WLError(error))
            }
        }
    }

    /// Obtains a token; the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func obtainAccessToken(
        forScope scope: String?, onCompletion: @escaping (AccessToken?, (any Error)?) -> Void
    ) -> WLCall {
        obtainAccessToken(forScope: scope, withCompletionHandler: onCompletion)
    }

    /// Logs in; see ``login(_:withCredentials:)``.
    @discardableResult
    public func login(
        _ securityCheck: String!, withCredentials credentials: [AnyHashable: Any]!,
        withCompletionHandler completionHandler: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        let credentials = Self.json(credentials)
        let exchange = authorization.begin(.login)
        return start({ try await self.logIn(securityCheck ?? "", credentials, exchange) }, completionHandler)
    }

    /// Logs in; the labels of the vendor's Swift class.
    @discardableResult
    public func login(
        securityCheck: String, credentials: [AnyHashable: Any]?, onCompletion: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        login(securityCheck, withCredentials: credentials, withCompletionHandler: onCompletion)
    }

    /// Logs out; see ``logout(_:)``.
    @discardableResult
    public func logout(
        _ securityCheck: String!, withCompletionHandler completionHandler: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        let exchange = beginLogout()
        return start({ try await self.logOut(securityCheck ?? "", exchange) }, completionHandler)
    }

    /// Logs out; the labels of the vendor's Swift class.
    @discardableResult
    public func logout(securityCheck: String, onCompletion: @escaping ((any Error)?) -> Void) -> WLCall {
        logout(securityCheck, withCompletionHandler: onCompletion)
    }

    private func start(
        _ work: @escaping @Sendable () async throws -> Void, _ completion: @escaping ((any Error)?) -> Void
    ) -> WLCall {
        WLCall.start(delivery: state.delivery, work) { result in
            if case .failure(let error) = result { completion(WLError(error)) } else { completion(nil) }
        }
    }

    // MARK: Tokens

    /// Deletes a token, if it is still the cached one of its scope.
    public func clearAccessToken(_ token: AccessToken!) {
        guard let token else { return }
        credentials.remove(token.requestedScope) { $0.token.value == token.value }
    }
    /// ``clearAccessToken(_:)`` as Swift imports the vendor's method.
    public func clear(_ token: AccessToken!) { clearAccessToken(token) }
    /// ``clearAccessToken(_:)`` with the label of the vendor's Swift class.
    public func clearAccessToken(accessToken: AccessToken!) { clearAccessToken(accessToken) }
}
