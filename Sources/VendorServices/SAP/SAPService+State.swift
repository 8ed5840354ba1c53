import HTTPMessages

extension SAPService {
    /// A flight and the number of its changes, from which its `ETag` is made.
    struct Record {
        var values: [String: String]
        var version = 1

        var etag: String { "W/\"\(version)\"" }
    }

    struct State {
        var connections: [ConnectionID: [String: String]] = [:]
        var flights: [String: Record]
        var nonces: NonceTable
        /// CSRF tokens by the cookies to which they belong.
        var tokens: [String: String] = [:]
        var counts = Counts()
        /// What tests set.
        var faults = InjectedFaults<Endpoint, EndpointFault>()

        init(_ configuration: Configuration) {
            flights = configuration.flights.mapValues { Record(values: $0) }
            nonces = NonceTable(lifetime: configuration.nonceLifetime.capped)
        }

        /// Counts a request, and returns the fault it gets.
        mutating func receive(_ endpoint: Endpoint) -> EndpointFault? {
            counts.requests[endpoint, default: 0] += 1
            return faults.next(at: endpoint)
        }
    }
}
