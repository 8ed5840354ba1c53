import Synchronization

/// What tests read and set.
extension SAPService {
    /// What the server did so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The properties of the registrations by id (`X-SMP-APPCID`), as text.
    public var connections: [String: [String: String]] {
        let connections = state.withLock { $0.connections }
        return Dictionary(connections.map { ($0.id, $1) }) { first, _ in first }
    }

    /// The flights by key, without the key: `Carrier` (`Edm.String`), `Seats` (`Edm.Int32`), `Price` (`Edm.Decimal`),
    /// `Departure` (`Edm.DateTime`, `2014-03-01T10:30:00`), `Cancelled` (`Edm.Boolean`). A missing value is null.
    public var flights: [String: [String: String]] { state.withLock { $0.flights.mapValues(\.values) } }

    /// Changes a flight behind the clients' backs, so that its `ETag` changes.
    public func changeFlight(_ key: String, _ values: [String: String]) {
        state.withLock { state in
            state.flights[key]?.values.merge(values) { _, new in new }
            state.flights[key]?.version += 1
        }
    }

    /// Makes all nonces of Digest stale: their next use gets a challenge with `stale=true`.
    public func expireNonces() { state.withLock { $0.nonces.expireAll() } }

    /// Makes all CSRF tokens and their cookies invalid.
    public func expireTokens() { state.withLock { $0.tokens = [:] } }

    /// Removes all registrations: data gets 403.
    public func forgetConnections() { state.withLock { $0.connections = [:] } }

    /// Injects a fault into the next requests to an endpoint, after those injected before.
    public func inject(_ fault: EndpointFault, at endpoint: Endpoint, count: Int = 1) {
        state.withLock { $0.faults.inject(fault, at: endpoint, count: count) }
    }
}
