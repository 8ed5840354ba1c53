extension SAPService {
    /// Numbers of what a server did since its creation.
    public struct Counts: Hashable, Sendable {
        /// Requests by endpoint, including those with errors and faults.
        public internal(set) var requests: [Endpoint: Int] = [:]
        /// Successful registrations.
        public internal(set) var registrations = 0
        /// Responses with status 401.
        public internal(set) var challenges = 0
        /// Those of the responses with status 401 that say `stale=true`.
        public internal(set) var staleChallenges = 0
        /// Requests with valid Basic or Digest credentials.
        public internal(set) var authentications = 0
        /// New CSRF tokens.
        public internal(set) var tokens = 0
        /// Writes refused for lack of a valid CSRF token.
        public internal(set) var tokenRejections = 0

        /// Requests to an endpoint.
        public func requests(to endpoint: Endpoint) -> Int { requests[endpoint] ?? 0 }
    }
}
