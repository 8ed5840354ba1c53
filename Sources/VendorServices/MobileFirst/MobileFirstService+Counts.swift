extension MobileFirstService {
    /// Numbers of what a server did since its creation.
    public struct Counts: Hashable, Sendable {
        /// Requests by endpoint, including those with errors and faults; without those that the gateway stops.
        public internal(set) var requests: [Endpoint: Int] = [:]
        /// Successful first registrations.
        public internal(set) var registrations = 0
        /// Successful changes of a registration (`PUT`).
        public internal(set) var registrationUpdates = 0
        /// Challenges sent, by security check.
        public internal(set) var challenges: [String: Int] = [:]
        /// Failures sent, by security check.
        public internal(set) var failures: [String: Int] = [:]
        /// Codes exchanged for access tokens, by scope with its elements sorted: `RegisteredClient transfer`.
        public internal(set) var tokenExchanges: [String: Int] = [:]
        /// Access tokens issued for refresh tokens, by sorted scope.
        public internal(set) var refreshes: [String: Int] = [:]
        /// Access tokens issued to confidential clients, by sorted scope.
        public internal(set) var clientCredentials: [String: Int] = [:]
        /// Successful logouts.
        public internal(set) var logouts = 0

        /// The number of requests to an endpoint.
        public func requests(to endpoint: Endpoint) -> Int { requests[endpoint] ?? 0 }
    }
}
