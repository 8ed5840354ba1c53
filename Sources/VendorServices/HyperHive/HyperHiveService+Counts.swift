extension HyperHiveService {
    /// Numbers of what a server did since its creation.
    public struct Counts: Hashable, Sendable {
        /// Requests by endpoint, including those with errors and faults.
        public internal(set) var requests: [Endpoint: Int] = [:]
        /// Requests by resource, without those that faults or invalid tokens stopped.
        public internal(set) var resourceRequests: [String: Int] = [:]
        /// Successful sign-ins.
        public internal(set) var signIns = 0
        /// Sign-ins with wrong credentials.
        public internal(set) var rejectedSignIns = 0
        /// Requests with a missing, unknown or expired token.
        public internal(set) var rejectedTokens = 0
        /// Loads of a resource's content, each a new version.
        public internal(set) var loads = 0
        /// Delta responses.
        public internal(set) var deltas = 0
        /// Full tables.
        public internal(set) var fullResponses = 0
        /// Responses with status 304.
        public internal(set) var notModified = 0
        /// Responses with status 206.
        public internal(set) var ranges = 0
        /// Executions of resources that change others.
        public internal(set) var changes = 0
        /// Stored responses sent for a known transaction id.
        public internal(set) var replays = 0
        /// Responses that did not reach the client whole, over a socket as far as the server can see.
        public internal(set) var lostResponses = 0
        /// Requests refused because they repeat one with a lost response.
        public internal(set) var refusedRepeats = 0

        /// Requests to an endpoint.
        public func requests(to endpoint: Endpoint) -> Int { requests[endpoint] ?? 0 }
        /// Requests for a resource.
        public func requests(for resource: String) -> Int { resourceRequests[resource] ?? 0 }
    }
}
