import Authentication
import Coordination
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension CallRunner {
    /// Adds the credentials for a challenge, or those that are known before one.
    func authorize(_ message: inout HTTPMessages.HTTPRequest) throws {
        let authentication = session.authentication
        var sent: SentPassword?
        for known in authorizations {
            // The fields of an https request do not reach a proxy.
            let isForAttempt =
                known.challenge.isProxy ? !message.origin.isSecure : known.challenge.space.contains(message.url)
            guard isForAttempt else { continue }
            try authentication.authorize(&message, for: known.challenge, with: known.credential)
            if !known.challenge.isProxy { sent = SentPassword(known.credential, in: known.challenge.space) }
        }
        let settings = request.settings
        defer { request.state.withLock { $0.route.sent = sent } }
        guard settings.shouldPresentCredentialsBeforeChallenge else { return }
        if !message.fields.contains(.authorization) { sent = try authorizeServer(&message, settings) }
        if settings.useSessionPersistence, !message.fields.contains(.proxyAuthorization),
            let stored = session.credentials.proxyCredential(at: nil), mayUse(stored.credential, isProxy: true)
        {
            try authentication.authorizePreemptively(&message, with: stored.credential, in: stored.space)
        }
    }

    /// Adds the credentials for the server that are known before a challenge, and returns them.
    private func authorizeServer(
        _ message: inout HTTPMessages.HTTPRequest, _ settings: SDMRequestSettings
    ) throws -> SentPassword? {
        let authentication = session.authentication
        if settings.presentsBasic, let own = ownCredential(settings) {
            try authentication.authorizeBasic(&message, with: own)
            return SentPassword(own, in: nil)
        }
        guard settings.useSessionPersistence, let stored = session.credentials.credential(at: message.url),
            mayUse(stored.credential, isProxy: false)
        else { return nil }
        // As by the vendor: for all paths of the origin.
        let isSent = try authentication.authorizePreemptively(&message, with: stored.credential, in: stored.space)
        return isSent ? SentPassword(stored.credential, in: stored.space) : nil
    }

    /// True if the request may use credentials of the session: it has none of its own or the same ones, and the session
    /// was not cleared since the start. Call it after reading them.
    private func mayUse(_ stored: PasswordCredential, isProxy: Bool) -> Bool {
        let own = ownCredentials(isProxy: isProxy)
        return (own.isEmpty || own.contains(stored)) && request.belongsToSession
    }

    /// The credentials that the app has set for this server or the proxy: in its URL, for the request, and for the one
    /// that a HEAD precedes. Not those that the delegate has supplied to all requests of a realm.
    private func ownCredentials(isProxy: Bool) -> [PasswordCredential] {
        let (own, main) = request.state.withLock { state in
            (
                [isProxy || !state.isHome ? nil : state.route.home?.credential, state.credential(isProxy: isProxy)],
                isProxy || state.isCredentialHome ? state.membership.mainRequest : nil
            )
        }
        let ofMain = main?.state.withLock(\.settings).credential(isProxy: isProxy)
        return (own + [ofMain]).compactMap(\.self).filter { !sharedCredentials.contains($0) }
    }

    /// Looks for the credentials of a challenge. The body of the response stays readable if there are none.
    func authenticate(_ isProxy: Bool) async throws -> CallState.Action {
        guard let exchange else { return call.unauthorized() }
        let body = try await exchange.response.collect(upTo: session.configuration.maximumResponseBytes).body
        request.update { $0.body = body }
        let challenge: PasswordChallenge?
        do throws(AuthenticationError) {
            challenge = try session.authentication.challenge(in: exchange.head, of: exchange.message)
        } catch {
            throw SDMError(.authentication, error.message, underlying: error)
        }
        guard let challenge else { return call.unauthorized() }
        request.update { results in
            if isProxy {
                results.proxyAuthenticationRealm = challenge.realm
            } else {
                results.authenticationRealm = challenge.realm
                results.authenticationScheme = challenge.scheme == .digest ? "Digest" : SDMAuthenticationSchemeBasic
            }
        }
        do {
            guard let credential = try await credential(for: challenge) else { return call.unauthorized() }
            authorizations.removeAll { $0.challenge.isProxy == isProxy }
            authorizations.append(Authorization(challenge: challenge, credential: credential))
        } catch OwnDecision.otherURL {
            authorizations.removeAll { $0.challenge.isProxy == isProxy }
        } catch OwnDecision.undecided {
            return call.unauthorized()
        }
        request.resetBody()
        return call.authorized()
    }

    private func credential(for challenge: PasswordChallenge) async throws -> PasswordCredential? {
        // A server that finds each nonce stale would never end.
        staleCount = challenge.isStale ? staleCount + 1 : 0
        if challenge.isStale, staleCount <= 2, let sent = challenge.sent { return sent }
        let (space, settings) = (challenge.space, request.settings)
        if let refused = challenge.sent {
            rejected.insert(SpaceCredential(space: space, credential: refused))
            session.credentials.remove(space, ifEqual: refused)
            if settings.useKeychainPersistence { try await removeSaved(refused, space) }
        }
        guard !call.isAuthenticationExhausted else { return nil }
        if settings.useSessionPersistence, let stored = session.credentials.credential(for: space),
            isNew(stored, space), mayUse(stored, isProxy: challenge.isProxy)
        {
            return stored
        }
        for known in knownCredentials(settings, challenge) where isNew(known, space) { return known }
        if settings.useKeychainPersistence,
            let saved = try await session.configuration.savedCredentials?.credential(for: space), isNew(saved, space),
            // They may be those of the next user.
            request.belongsToSession
        {
            return saved
        }
        guard case .asynchronous = mode, request.delegate != nil || askedQueue(challenge) != nil else { return nil }
        // A request whose own credentials were rejected must not get those of another user.
        guard settings.useSessionPersistence, ownCredentials(isProxy: challenge.isProxy).isEmpty else {
            return try await ask(challenge)
        }
        return try await askOnce(challenge)
    }

    /// Asks the delegate once for all requests of the session that need the credentials of a realm.
    private func askOnce(_ challenge: PasswordChallenge) async throws -> PasswordCredential? {
        while request.belongsToSession {
            var isAsked = false
            var supplied: PasswordCredential?
            do {
                let shared = try await session.credentials.resolve(challenge.space, rejected: challenge.rejected) {
                    // The session must not keep them for its later requests.
                    guard request.belongsToSession else { throw SessionCleared() }
                } ask: {
                    isAsked = true
                    supplied = try await ask(challenge)
                    return supplied
                }
                if !isAsked { supplied = shared }
            } catch is SessionCleared {
                guard isAsked else { continue }
            } catch is OwnDecision where !isAsked {
                // That of another request is not for this one, which asks for itself.
                continue
            }
            guard isAsked || request.belongsToSession else { continue }
            guard let supplied else { return nil }
            sharedCredentials.insert(supplied)
            if isAsked { self.supplied.insert(SpaceCredential(space: challenge.space, credential: supplied)) }
            return supplied
        }
        return try await ask(challenge)
    }

    /// The session was cleared while the delegate was asked.
    private struct SessionCleared: Error {}

    /// A decision for the request of the delegate only, not for those that wait.
    private enum OwnDecision: Error {
        /// Instead of credentials, the delegate has set another URL.
        case otherURL
        /// There is no delegate with a method for the question.
        case undecided
    }

    /// Removes credentials from the app's storage, which may have others.
    private func removeSaved(_ credential: PasswordCredential, _ space: ProtectionSpace) async throws {
        let storage = session.configuration.savedCredentials
        if try await storage?.credential(for: space) == credential { try await storage?.remove(for: space) }
    }

    private func isNew(_ credential: PasswordCredential, _ space: ProtectionSpace) -> Bool {
        !rejected.contains(SpaceCredential(space: space, credential: credential))
    }

    /// The credentials of the URL, of the request that a HEAD precedes, and of the request itself, in this order.
    private func knownCredentials(_ settings: SDMRequestSettings, _ challenge: PasswordChallenge)
        -> [PasswordCredential]
    {
        // The app's credentials are for the URL that it has set: a redirect must not send them elsewhere.
        guard challenge.isProxy || request.state.withLock(\.isCredentialHome) else { return [] }
        var known: [PasswordCredential] = []
        if !challenge.isProxy, let credential = settings.url?.credential { known.append(credential) }
        if let main = request.state.withLock(\.membership.mainRequest)?.state.withLock(\.settings),
            let credential = main.credential(isProxy: challenge.isProxy)
        {
            known.append(credential)
        }
        if let own = settings.credential(isProxy: challenge.isProxy) { known.append(own) }
        return known
    }

    /// The credentials of the request itself for the server, unless they were rejected in this call.
    private func ownCredential(_ settings: SDMRequestSettings) -> PasswordCredential? {
        guard request.state.withLock(\.isCredentialHome), let own = settings.credential(isProxy: false) else {
            return nil
        }
        return SentPassword(own, in: nil).isAmong(rejected) ? nil : own
    }

    /// The queue whose delegate is asked: that of a request without a delegate of its own.
    private func askedQueue(_ challenge: PasswordChallenge) -> SDMNetworkQueue? {
        guard request.delegate == nil, !request.isSilenced, let queue = request.queue else { return nil }
        return queue.suppliesCredentials(isProxy: challenge.isProxy) ? queue : nil
    }

    /// Asks the delegate, and waits for its decision.
    private func ask(_ challenge: PasswordChallenge) async throws -> PasswordCredential {
        let queue = askedQueue(challenge)
        let made = try await decision(at: \.delivery.credentialDecision, withoutDelegate: .undecided) { [request] in
            (queue?.delegate ?? request.delegate) != nil
        } asking: { [request] decision in
            let wasCalled =
                if let queue {
                    queue.askForCredentials(of: request, isProxy: challenge.isProxy)
                } else if challenge.isProxy {
                    request.callDelegate(nil, default: "proxyAuthenticationNeededForRequest:") {
                        $0.proxyAuthenticationNeeded(for: request)
                    }
                } else {
                    request.callDelegate(
                        \.didReceiveAuthChallengeSelector, default: "authenticationNeededForRequest:"
                    ) { $0.authenticationNeeded(for: request) }
                }
            if !wasCalled { decision.fulfill(.undecided) }
        }
        switch made {
        case .undecided: throw OwnDecision.undecided
        case .cancel: throw SDMError.authenticationCancelled
        case .retry: break
        }
        return try request.state.withLock { state in
            guard let credential = state.settings.credential(isProxy: challenge.isProxy) else {
                if state.settings.url != state.route.currentURL { throw OwnDecision.otherURL }
                throw SDMError.suppliedNothing
            }
            if !challenge.isProxy { state.route.supplyCredentials() }
            return credential
        }
    }

    /// Keeps the credentials that the server has accepted.
    ///
    /// A redirect accepts those of a proxy only: a server may redirect a wrong password to the form of its login.
    func keepCredentials() async throws {
        let settings = request.settings
        let isRedirect = exchange?.head.isRedirect ?? false
        for known in authorizations {
            let space = known.challenge.space
            guard known.challenge.isProxy || !isRedirect else {
                withdraw(known.credential, space)
                continue
            }
            if settings.useSessionPersistence {
                session.credentials.set(known.credential, for: space) { request.belongsToSession }
            }
            if settings.useKeychainPersistence { try await save(known.credential, space) }
        }
    }

    /// Removes credentials that the session has only since this call asked the delegate for them.
    private func withdraw(_ credential: PasswordCredential, _ space: ProtectionSpace) {
        guard supplied.contains(SpaceCredential(space: space, credential: credential)) else { return }
        session.credentials.remove(space, ifEqual: credential)
    }

    /// Saves credentials in the app's storage, unless the session was cleared since the start.
    private func save(_ credential: PasswordCredential, _ space: ProtectionSpace) async throws {
        guard request.belongsToSession else { return }
        try await session.configuration.savedCredentials?.save(credential, for: space)
        if !request.belongsToSession { try await removeSaved(credential, space) }
    }
}

extension HTTPResponseHead {
    /// True for a redirect, also one that is not followed.
    fileprivate var isRedirect: Bool { status.kind == .redirection && status != .notModified }
}

extension URL {
    /// The user and the password; nil unless both are present.
    var credential: PasswordCredential? {
        guard let name = self.user(percentEncoded: false), let secret = self.password(percentEncoded: false) else {
            return nil
        }
        return PasswordCredential(user: name, password: secret)
    }
}
