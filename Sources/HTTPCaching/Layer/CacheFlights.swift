import Coordination
import HTTPMessages
import Synchronization

/// Requests in flight by cache key, for which calls with the same key wait (single flight).
///
/// The first attempts of calls wait for each other, and so do their hedges of the same number.
///
/// ```
/// no flight -lead->   in flight   the caller sends the request
/// in flight -lead->   in flight   the caller waits for its end
/// in flight -finish-> no flight
/// ```
final class CacheFlights: Sendable {
    /// How the request of another call ended.
    enum Outcome: Sendable {
        /// The response is stored.
        case stored
        /// The response is not for others: each call sends its own request.
        case unshared
        /// The request failed.
        case failed(any Error)
        /// The call was cancelled: another one may send the request.
        case abandoned
    }

    /// A call's part in the flight of a key.
    enum Part: Sendable {
        /// It sends the request, and finishes the flight.
        case leader(Flight)
        case follower(Flight)
    }

    /// A request in flight.
    final class Flight: Sendable {
        fileprivate let key: Key
        /// The request that is sent.
        let request: HTTPRequest
        fileprivate let outcome = Promise<Outcome>()

        fileprivate init(_ key: Key, _ request: HTTPRequest) {
            self.key = key
            self.request = request
        }

        /// Waits for the end of the request.
        /// - Throws: `CancellationError` when the waiting task is cancelled first.
        func wait() async throws(CancellationError) -> Outcome {
            followers.add(1, ordering: .relaxed)
            return try await outcome.cancellableValue()
        }

        /// The number of calls that have waited or still do.
        fileprivate let followers = Atomic(0)

        /// True if a request with the same fields and options would have had the same error.
        func isEqual(to other: HTTPRequest) -> Bool {
            request.fields == other.fields && request.options == other.options
        }
    }

    struct Key: Hashable, Sendable {
        let url: String
        let prefix: String
        let hedge: Int

        init(_ lookup: CacheLookup, _ request: HTTPRequest) {
            (url, prefix, hedge) = (lookup.url, lookup.prefix, request.options.hedge)
        }
    }

    private let flights = Mutex([Key: Flight]())

    /// The number of requests in flight.
    var count: Int { flights.withLock(\.count) }

    /// The number of calls that wait for them.
    var followerCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.followers.load(ordering: .relaxed) } } }

    /// Waits for the end of all flights.
    func waitUntilEmpty() async {
        while let flight = flights.withLock({ $0.values.first }) { _ = await flight.outcome.value }
    }

    /// Takes part in the flight of a key, or begins one.
    func join(_ lookup: CacheLookup, _ request: HTTPRequest) -> Part {
        let key = Key(lookup, request)
        return flights.withLock { flights in
            if let known = flights[key] { return .follower(known) }
            let flight = Flight(key, request)
            flights[key] = flight
            return .leader(flight)
        }
    }

    /// Ends a flight; its followers continue.
    func finish(_ flight: Flight, _ outcome: Outcome) {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
        }
        flight.outcome.fulfill(outcome)
    }
}

/// The end of a flight, reported once; one that is forgotten counts as abandoned.
final class FlightEnd: Sendable {
    private let flights: CacheFlights
    private let flight: CacheFlights.Flight?

    init(_ flights: CacheFlights, _ flight: CacheFlights.Flight?) {
        (self.flights, self.flight) = (flights, flight)
    }

    deinit { finish(.abandoned) }

    /// Only the first call has an effect.
    func finish(_ outcome: CacheFlights.Outcome) {
        if let flight { flights.finish(flight, outcome) }
    }
}
