/// The tokens and the fetches in flight by scope, as a state machine without I/O and locks.
///
/// ```
/// missing  -request-> fetching   the caller starts the fetch
/// missing  -learn->   present
/// present  -request-> present    the token is used
/// present  -reject-> missing     if it is the rejected one
/// fetching -request-> fetching   waits
/// fetching -finish->  present, or missing without a token; all waiters continue
/// fetching -cancel of the last waiter-> missing   the caller cancels the fetch
/// ```
struct CSRFTokenTable<Token, Waiter> {
    /// What a request does.
    enum Step {
        case use(Token)
        /// Wait; the fetch to start, or nil if one is in flight.
        case wait(start: UInt64?)
    }
    struct Cancellation {
        let waiter: Waiter
        /// The fetch to cancel, because no request waits for it.
        let abandonedFetch: UInt64?
    }
    private enum Entry {
        case present(Token)
        case fetching(UInt64)
    }
    private struct Fetch {
        let scope: CSRFScope
        var waiters: [UInt64: Waiter] = [:]
    }

    /// Maximum number of kept tokens; an app whose bearer tokens change has a scope for each of them.
    static var capacity: Int { 1000 }

    private var entries: [CSRFScope: Entry] = [:]
    private var fetches: [UInt64: Fetch] = [:]
    private var fetchByWaiter: [UInt64: UInt64] = [:]
    private var lastID: UInt64 = 0

    /// The number of waiting requests.
    var waiterCount: Int { fetchByWaiter.count }

    /// Makes an ID for a waiter.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// The token of a scope; nil if there is none.
    func token(for scope: CSRFScope) -> Token? {
        if case .present(let token) = entries[scope] { token } else { nil }
    }

    /// Uses the token of a scope, or adds a waiter for it.
    mutating func request(_ scope: CSRFScope, waiter: Waiter, id: UInt64) -> Step {
        switch entries[scope] {
        case .present(let token):
            return .use(token)
        case .fetching(let fetch):
            fetches[fetch]?.waiters[id] = waiter
            fetchByWaiter[id] = fetch
            return .wait(start: nil)
        case nil:
            let fetch = makeID()
            entries[scope] = .fetching(fetch)
            fetches[fetch] = Fetch(scope: scope, waiters: [id: waiter])
            fetchByWaiter[id] = fetch
            return .wait(start: fetch)
        }
    }

    /// Keeps a token that another response had, unless a fetch is in flight.
    mutating func learn(_ token: Token, for scope: CSRFScope) {
        if case .fetching = entries[scope] { return }
        keep(token, for: scope)
    }

    /// Stores a token; at the capacity, all others are forgotten, and fetched again when they are needed.
    private mutating func keep(_ token: Token, for scope: CSRFScope) {
        if entries.count >= Self.capacity {
            entries = entries.filter { if case .fetching = $0.value { true } else { false } }
        }
        entries[scope] = .present(token)
    }

    /// Forgets the token of a scope, if it is the one that a server has rejected.
    mutating func reject(_ scope: CSRFScope, where isRejected: (Token) -> Bool) {
        if case .present(let token) = entries[scope], isRejected(token) { entries[scope] = nil }
    }

    /// Ends a fetch.
    /// - Parameter token: nil if there is none.
    /// - Returns: its waiters.
    mutating func finish(_ fetch: UInt64, _ token: Token?) -> [Waiter] {
        guard let finished = fetches.removeValue(forKey: fetch) else { return [] }
        for id in finished.waiters.keys { fetchByWaiter[id] = nil }
        // After `removeAll` the entry is gone, or that of another fetch.
        if case .fetching(fetch) = entries[finished.scope] {
            entries[finished.scope] = nil
            if let token { keep(token, for: finished.scope) }
        }
        return Array(finished.waiters.values)
    }

    /// Removes a waiter; nil if its fetch has ended.
    mutating func cancel(_ id: UInt64) -> Cancellation? {
        guard let fetch = fetchByWaiter.removeValue(forKey: id),
            let waiter = fetches[fetch]?.waiters.removeValue(forKey: id)
        else { return nil }
        guard fetches[fetch]?.waiters.isEmpty == true else {
            return Cancellation(waiter: waiter, abandonedFetch: nil)
        }
        _ = finish(fetch, nil)
        return Cancellation(waiter: waiter, abandonedFetch: fetch)
    }

    /// Forgets all tokens. Fetches in flight complete for their waiters, and are not kept.
    mutating func removeAll() { entries = [:] }
}
