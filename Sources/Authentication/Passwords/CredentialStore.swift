import Coordination
public import Foundation
import Synchronization

/// The passwords of one client, in memory, by protection space: the latest ones of up to 64 realms of each server.
///
/// ```swift
/// let credential = try await store.resolve(challenge.space, rejected: challenge.rejected) { try await askUser() }
/// ```
///
/// Calls that need a credential at the same time ask once, and share the outcome (single flight). Every method may run
/// on any thread.
public final class CredentialStore: Sendable {
    /// What a waiting call gets.
    private enum WaitResult: Sendable {
        case done(PasswordCredential?)
        /// The call that asked was cancelled, so this one asks.
        case ask
    }
    private typealias Waiter = Promise<Result<WaitResult, any Error>>

    private let questions = Mutex(CredentialQuestions<Waiter>())

    /// Creates an empty store.
    public init() {}

    /// The credential of a space.
    public func credential(for space: ProtectionSpace) -> PasswordCredential? {
        questions.withLock { $0.credential(for: space) }
    }

    /// The credential that was stored last for any realm of a URL's origin.
    public func credential(at url: URL) -> StoredCredential? {
        let space = ProtectionSpace(url, realm: "")
        return questions.withLock { $0.latest(of: space.recipient) }
    }

    /// The credential that was stored last for any realm of a proxy.
    /// - Parameter proxy: nil for the proxy of the transport.
    public func proxyCredential(at proxy: URL?) -> StoredCredential? {
        questions.withLock { $0.latest(of: .proxy(proxy)) }
    }

    /// Stores a credential. Calls that wait for a question in flight get its outcome nevertheless.
    public func set(_ credential: PasswordCredential, for space: ProtectionSpace) {
        questions.withLock { $0.set(credential, for: space) }
    }

    /// Stores a credential, unless its user has signed out meanwhile.
    /// - Parameter condition: called with the store's lock held, so that a ``removeAll()`` comes before it or after the
    ///   change. It must not use the store.
    package func set(_ credential: PasswordCredential, for space: ProtectionSpace, if condition: () -> Bool) {
        questions.withLock { if condition() { $0.set(credential, for: space) } }
    }

    /// Removes the credential of a space.
    public func remove(_ space: ProtectionSpace) { questions.withLock { $0.remove(space) } }

    /// Removes a credential that a server rejected, unless another one has replaced it.
    public func remove(_ space: ProtectionSpace, ifEqual credential: PasswordCredential) {
        questions.withLock { $0.remove(space, ifEqual: credential) }
    }

    /// Removes all credentials. Questions in flight continue, and their outcome is not stored: it is that of the user
    /// before.
    public func removeAll() { questions.withLock { $0.removeAll() } }

    /// The number of calls that wait for the question of another one.
    var waiterCount: Int { questions.withLock { $0.waiterCount } }

    /// Returns the credential of a space, or asks for one.
    ///
    /// A stored credential is returned without a question, unless it is the rejected one, which is removed. Of the
    /// calls that need a credential of one space at the same time, the first one asks, and all get the outcome: a
    /// credential, which is stored; nil, if there is none; or the error. If the task that asks is
    /// cancelled, the next call asks.
    /// - Parameters:
    ///   - rejected: the credential that the server rejected; nil if the request had none.
    ///   - ask: returns a credential, or nil if the user has none. Runs in the task of the call.
    /// - Throws: the error of `ask`; `CancellationError` if the task is cancelled while it waits;
    ///   ``AuthenticationError`` (`recursiveRefresh`) if `ask` itself calls this.
    public func resolve(
        _ space: ProtectionSpace, rejected: PasswordCredential? = nil,
        ask: () async throws -> PasswordCredential?
    ) async throws -> PasswordCredential? {
        try await resolve(space, rejected: rejected, confirm: {}, ask: ask)
    }

    /// Returns the credential of a space, or asks for one, as ``resolve(_:rejected:ask:)`` does.
    /// - Parameter confirm: called after `ask` with the store's lock held; its error replaces the outcome, such as
    ///   after a sign-out. It must not use the store.
    package func resolve(
        _ space: ProtectionSpace, rejected: PasswordCredential? = nil, confirm: () throws -> Void,
        ask: () async throws -> PasswordCredential?
    ) async throws -> PasswordCredential? {
        try Task.checkCancellation()
        let waiter = Waiter()
        let id = questions.withLock { $0.makeID() }
        let joined = questions.withLock { questions in
            questions.join(waiter, id: id, for: space, rejected: rejected) { RunningWork.isCurrent(of: $0) }
        }
        switch joined {
        case .use(let credential): return credential
        case .ask: break
        case .deadlock: throw Self.deadlock(space)
        case .wait:
            let result = try await waiter.success {
                questions.withLock { $0.cancelWaiter(id, for: space) }?.fulfill(.failure(CancellationError()))
            }
            if case .done(let credential) = result { return credential }
        }
        let asked: Result<PasswordCredential?, any Error>
        do {
            asked = .success(try await asking(id, waiter, space, ask))
        } catch {
            asked = .failure(error)
        }
        let (outcome, waiters) = questions.withLock { questions in
            let outcome = Result {
                try confirm()
                return try asked.get()
            }
            // No waiters if the task was cancelled, since another call asks then.
            return (outcome, questions.finish(id, for: space, credential: (try? outcome.get()) ?? nil))
        }
        for waiter in waiters { waiter.fulfill(outcome.map { .done($0) }) }
        return try outcome.get()
    }

    /// Calls `ask`; when the task is cancelled, the next call asks, even if `ask` ignores that.
    private func asking(
        _ id: UInt64, _ waiter: Waiter, _ space: ProtectionSpace, _ ask: () async throws -> PasswordCredential?
    ) async throws -> PasswordCredential? {
        try await withTaskCancellationHandler {
            try await RunningWork.run(for: waiter) {
                // A call that was cancelled while it waited must not ask the user.
                try Task.checkCancellation()
                return try await ask()
            }
        } onCancel: {
            questions.withLock { $0.cancelAsker(id, for: space) }?.fulfill(.success(.ask))
        }
    }

    private static func deadlock(_ space: ProtectionSpace) -> AuthenticationError {
        AuthenticationError(
            .recursiveRefresh,
            "The closure that asks for the credential of \(space) asked the same store for it; obtain it directly.")
    }
}
