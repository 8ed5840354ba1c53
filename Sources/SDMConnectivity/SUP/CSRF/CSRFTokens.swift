import Coordination
import Synchronization

/// The CSRF tokens of one user of a session, each fetched once for all requests that wait for it. Thread-safe.
final class CSRFTokens: Sendable {
    /// Maximum number of kept tokens; an app whose bearer tokens change has a scope for each of them.
    static let capacity = 1000

    private let kept = Mutex<[CSRFScope: CSRFToken]>([:])
    private let fetches = SharedTasks<CSRFScope, Void, CSRFFetch>()

    /// The number of requests that wait for a token.
    var waiterCount: Int { fetches.waiterCount }

    /// The kept token of a scope; nil if there is none.
    func token(for scope: CSRFScope) -> CSRFToken? { kept.withLock { $0[scope] } }

    /// Keeps a token that a response had, unless a fetch is in flight.
    func learn(_ token: CSRFToken, for scope: CSRFScope) {
        let known = self.token(for: scope)?.value
        guard !fetches.isInFlight(scope) else { return }
        // A fetch may have started and ended in between; then its token is the newer one.
        keep(token, for: scope) { $0?.value == known }
    }

    /// Forgets a token, in all scopes: the request that carried it also had its cookies, which may be those of another
    /// scope.
    func reject(_ value: String) { kept.withLock { tokens in tokens = tokens.filter { $0.value.value != value } } }

    /// The token of a scope: the kept one, or a fetched one.
    ///
    /// Cancelling a call ends its wait at once. The fetch is cancelled when no call waits for it.
    /// - Parameter fetch: fetches a token. Its error reaches all calls that wait.
    /// - Throws: the errors of `fetch`; `CancellationError`.
    func token(
        for scope: CSRFScope, fetch: @escaping @Sendable () async throws -> CSRFFetch
    ) async throws -> CSRFFetch {
        if let token = token(for: scope) { return CSRFFetch(token) }
        return try await fetches.value(for: scope) { [self] in
            // A fetch may have ended in between.
            if let token = token(for: scope) { return CSRFFetch(token) }
            let fetched = try await fetch()
            // Without a use, it was fetched for requests that were cancelled.
            if let token = fetched.token, !Task.isCancelled { keep(token, for: scope) { _ in true } }
            return fetched
        }
    }

    /// Keeps a token; at the capacity, all others are forgotten, and fetched again when they are needed.
    /// - Parameter condition: gets the one that it replaces.
    private func keep(_ token: CSRFToken, for scope: CSRFScope, if condition: (CSRFToken?) -> Bool) {
        kept.withLock { tokens in
            guard token.isReusable, condition(tokens[scope]) else { return }
            if tokens.count >= Self.capacity { tokens = [:] }
            tokens[scope] = token
        }
    }
}

/// The end of a fetch of a token.
struct CSRFFetch: Sendable {
    /// Nil if the server sends none.
    let token: CSRFToken?
    /// Nil unless the server, or a proxy, has rejected credentials instead.
    let rejection: CredentialRejection?

    init(_ token: CSRFToken?, rejection: CredentialRejection? = nil) {
        (self.token, self.rejection) = (token, rejection)
    }
}
