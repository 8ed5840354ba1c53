import Transport

/// Single flight: the waiters of each request in flight, as a state machine. It has no transport, task or lock.
///
/// ```
/// no flight -> in flight    join: the caller starts the request
/// in flight -> in flight    join, record, cancel while other waiters are left
/// in flight -> no flight    finish, or cancel of the last waiter: the caller cancels the request
/// ```
struct SingleFlight<Key: Hashable, Waiter> {
    private struct Flight {
        let key: Key
        var waiters: [UInt64: Waiter] = [:]
        /// The last event of each kind, for late waiters.
        var events: [TransferEvent] = []
    }
    struct JoinResult: Equatable {
        let flight: UInt64
        /// True if the caller has to start the request.
        let isNew: Bool
        /// The last missed event of each kind.
        let missedEvents: [TransferEvent]
    }
    struct CancelResult {
        let waiter: Waiter
        /// The flight to cancel, if it has no waiters left.
        let abandonedFlight: UInt64?
    }

    private var flights: [UInt64: Flight] = [:]
    private var flightByKey: [Key: UInt64] = [:]
    private var flightByWaiter: [UInt64: UInt64] = [:]
    private var lastID: UInt64 = 0

    /// The number of requests in flight.
    var count: Int { flights.count }

    /// The number of waiters.
    var waiterCount: Int { flightByWaiter.count }

    /// Makes an ID for a waiter or a flight.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a waiter to the flight of a key, or to a new flight.
    mutating func join(_ waiter: Waiter, id: UInt64, for key: Key) -> JoinResult {
        let known = flightByKey[key]
        let flight = known ?? makeID()
        flightByKey[key] = flight
        flightByWaiter[id] = flight
        flights[flight, default: Flight(key: key)].waiters[id] = waiter
        return JoinResult(flight: flight, isNew: known == nil, missedEvents: flights[flight]?.events ?? [])
    }

    /// Removes a waiter; nil if its flight has finished.
    mutating func cancel(_ id: UInt64) -> CancelResult? {
        guard let flight = flightByWaiter.removeValue(forKey: id),
            let waiter = flights[flight]?.waiters.removeValue(forKey: id)
        else { return nil }
        guard flights[flight]?.waiters.isEmpty == true else {
            return CancelResult(waiter: waiter, abandonedFlight: nil)
        }
        _ = finish(flight)
        return CancelResult(waiter: waiter, abandonedFlight: flight)
    }

    func isInFlight(_ flight: UInt64) -> Bool { flights[flight] != nil }

    /// Records an event of a flight.
    /// - Returns: the waiters to notify.
    mutating func record(_ event: TransferEvent, on flight: UInt64) -> [Waiter] {
        guard flights[flight] != nil else { return [] }
        flights[flight]?.events.supersede(with: event)
        return flights[flight].map { Array($0.waiters.values) } ?? []
    }

    /// Removes a flight.
    /// - Returns: its waiters.
    mutating func finish(_ flight: UInt64) -> [Waiter] {
        guard let finished = flights.removeValue(forKey: flight) else { return [] }
        flightByKey[finished.key] = nil
        for id in finished.waiters.keys { flightByWaiter[id] = nil }
        return Array(finished.waiters.values)
    }
}
