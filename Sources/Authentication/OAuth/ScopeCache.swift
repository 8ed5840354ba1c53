import Foundation
public import HTTPMessages
import Synchronization

/// The scopes that resources asked for, by URL and method.
///
/// Holds the most recent 1,000 of them (FIFO).
public final class ScopeCache: Sendable {
    private struct Key: Hashable, Sendable {
        let method: HTTPMethod
        let url: String
        init(_ request: HTTPRequest) {
            method = request.method
            url = request.url.absoluteString
        }
    }
    private struct State {
        var scopes: [Key: OAuthScope] = [:]
        var order: [Key] = []
    }

    private static let capacity = 1000

    private let state = Mutex(State())
    // So that a request costs no lock and no key while no scope was learned, as with most servers.
    private let count = Atomic(0)

    /// Creates an empty cache.
    public init() {}

    /// The learned scope of a request's URL and method; nil without one.
    public func scope(of request: HTTPRequest) -> OAuthScope? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        let key = Key(request)
        return state.withLock { $0.scopes[key] }
    }

    /// Learns the scope of a request's URL and method; nil forgets it.
    public func set(_ scope: OAuthScope?, of request: HTTPRequest) {
        let key = Key(request)
        state.withLock { state in
            if state.scopes.removeValue(forKey: key) != nil { state.order.removeAll { $0 == key } }
            if let scope {
                state.scopes[key] = scope
                state.order.append(key)
                if state.order.count > Self.capacity { state.scopes[state.order.removeFirst()] = nil }
            }
            count.store(state.scopes.count, ordering: .relaxed)
        }
    }

    /// Forgets a scope, for all URLs and methods.
    func forget(_ scope: OAuthScope) {
        state.withLock { state in
            state.scopes = state.scopes.filter { $0.value != scope }
            state.order.removeAll { state.scopes[$0] == nil }
            count.store(state.scopes.count, ordering: .relaxed)
        }
    }

    /// Forgets all scopes.
    public func removeAll() {
        state.withLock { state in
            state = State()
            count.store(0, ordering: .relaxed)
        }
    }
}
