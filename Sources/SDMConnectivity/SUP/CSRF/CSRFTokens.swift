import Coordination
import Foundation
import Synchronization
import Transport

/// The tokens of a session, each fetched once for all requests that wait for it. Thread-safe.
final class CSRFTokens: Sendable {
    private typealias Waiter = CheckedContinuation<CSRFToken?, any Error>

    private struct State {
        var table = CSRFTokenTable<CSRFToken, Waiter>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The number of requests that wait for a token.
    var waiterCount: Int { state.withLock(\.table.waiterCount) }

    /// The kept token of a scope; nil if there is none.
    func token(for scope: CSRFScope) -> CSRFToken? { state.withLock { $0.table.token(for: scope) } }

    /// Keeps a token that a response had.
    func learn(_ token: CSRFToken, for scope: CSRFScope) { state.withLock { $0.table.learn(token, for: scope) } }

    /// Forgets the token of a scope, unless it is another one by now.
    func reject(_ value: String, for scope: CSRFScope) {
        state.withLock { $0.table.reject(scope) { $0.value == value } }
    }

    /// Forgets all tokens.
    func removeAll() { state.withLock { $0.table.removeAll() } }

    /// The token of a scope: the kept one, or a fetched one.
    ///
    /// Cancelling a call ends its wait at once. The fetch is cancelled when no call waits for it.
    /// - Parameter fetch: fetches a token; nil if the server has none. Its error reaches all calls that wait.
    /// - Throws: the errors of `fetch`; `CancellationError`.
    func token(
        for scope: CSRFScope, fetch: @escaping @Sendable () async throws -> CSRFToken?
    ) async throws -> CSRFToken? {
        let id = state.withLock { $0.table.makeID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let step = state.withLock { state -> CSRFTokenTable<CSRFToken, Waiter>.Step? in
                    // The cancellation handler may have run before the waiter is added.
                    guard !Task.isCancelled else { return nil }
                    return state.table.request(scope, waiter: waiter, id: id)
                }
                switch step {
                case .use(let token): waiter.resume(returning: token)
                case .wait(let new?): start(new, fetch)
                case .wait(nil): break
                case nil: waiter.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let (cancelled, task) = state.withLock { state in
                let cancelled = state.table.cancel(id)
                return (cancelled, cancelled?.abandonedFetch.flatMap { state.tasks.removeValue(forKey: $0) })
            }
            task?.cancel()
            cancelled?.waiter.resume(throwing: CancellationError())
        }
    }

    /// Runs a fetch in a task of its own: the call that started it may be cancelled first.
    private func start(_ id: UInt64, _ fetch: @escaping @Sendable () async throws -> CSRFToken?) {
        state.withLock { state in
            // The task takes the lock before it removes itself, so it is stored by then.
            state.tasks[id] = Task(executorPreference: WorkerThreads.calls) { [self] in
                let result: Result<CSRFToken?, any Error>
                do { result = .success(try await fetch()) } catch { result = .failure(error) }
                let waiters = self.state.withLock { state in
                    state.tasks[id] = nil
                    return state.table.finish(id, (try? result.get()) ?? nil)
                }
                for waiter in waiters { waiter.resume(with: result) }
            }
        }
    }
}
