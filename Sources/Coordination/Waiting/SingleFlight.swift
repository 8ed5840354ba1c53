/// Single flight: work in flight by key, and the calls that wait for it, as a state machine without task or lock.
///
/// ```
/// no flight -join, begin->    in flight   the caller starts the work
/// in flight -join->           in flight   a waiter more
/// in flight -cancel->         in flight   a waiter less; without waiters no flight, unless ``keepsUnawaited``
/// in flight -detach->         detached    completes for its waiters only; without any, no flight
/// detached  -cancel->         detached    a waiter less; without waiters no flight
/// any       -finish->         no flight   its waiters get the outcome
/// any       -abandonAll->     no flight   the caller ends the wait
/// ```
///
/// A flight that ends without `finish` is *abandoned*: its outcome has no use, so the caller cancels the work.
package struct SingleFlight<Key: Hashable, Waiter> {
    /// Identifies a flight or a waiter; later ones are greater.
    package typealias ID = UInt64

    package struct JoinResult: Hashable {
        package let flight: ID
        /// True if the caller has to start the work.
        package let isNew: Bool
    }

    package struct CancelResult {
        package let waiter: Waiter
        /// The flight whose work the caller has to cancel.
        package let abandonedFlight: ID?
    }

    fileprivate struct Flight {
        let key: Key
        var waiters: [ID: Waiter] = [:]
        var keepsUnawaited: Bool
    }

    /// True if a flight of which all waiters were cancelled goes on for later ones.
    private let keepsUnawaited: Bool
    private var flights: [ID: Flight] = [:]
    private var flightByKey: [Key: ID] = [:]
    private var flightByWaiter: [ID: ID] = [:]
    private var lastID: ID = 0

    package init(keepsUnawaited: Bool = false) { self.keepsUnawaited = keepsUnawaited }

    /// The number of flights, detached ones included.
    package var count: Int { flights.count }

    /// The number of waiters.
    package var waiterCount: Int { flightByWaiter.count }

    /// Makes an ID for a waiter.
    package mutating func makeID() -> ID {
        lastID += 1
        return lastID
    }

    /// The flight that a call with this key would join; nil without one.
    package func flight(of key: Key) -> ID? { flightByKey[key] }

    /// True until a flight has finished or is abandoned.
    package func isInFlight(_ flight: ID) -> Bool { flights[flight] != nil }

    /// Whether calls wait for a flight.
    package func isAwaited(_ flight: ID) -> Bool { flights[flight]?.waiters.isEmpty == false }

    /// Begins a flight without a waiter, in place of any of the same key, which must have been detached.
    package mutating func begin(_ key: Key) -> ID {
        let flight = makeID()
        flightByKey[key] = flight
        flights[flight] = Flight(key: key, keepsUnawaited: keepsUnawaited)
        return flight
    }

    /// Adds a waiter to the flight of a key, or to a new flight.
    package mutating func join(_ waiter: Waiter, id: ID, for key: Key) -> JoinResult {
        let known = flightByKey[key]
        let flight = known ?? begin(key)
        flightByWaiter[id] = flight
        flights[flight]?.waiters[id] = waiter
        return JoinResult(flight: flight, isNew: known == nil)
    }

    /// Removes a waiter; nil if its flight has ended.
    package mutating func cancel(_ id: ID) -> CancelResult? {
        guard let flight = flightByWaiter.removeValue(forKey: id),
            let waiter = flights[flight]?.waiters.removeValue(forKey: id)
        else { return nil }
        return CancelResult(waiter: waiter, abandonedFlight: abandonIfUnused(flight) ? flight : nil)
    }

    /// Lets the flight of a key complete for its waiters only; later calls begin another one.
    /// - Returns: the flight, if it had no waiters and is abandoned.
    package mutating func detach(_ key: Key) -> ID? {
        guard let flight = flightByKey.removeValue(forKey: key) else { return nil }
        return abandonIfUnused(flight) ? flight : nil
    }

    /// Lets a flight go on without waiters, or end with the last one, in place of ``init(keepsUnawaited:)``.
    /// - Returns: true if it has none, and is abandoned.
    package mutating func setKeepsUnawaited(_ keepsUnawaited: Bool, for flight: ID) -> Bool {
        flights[flight]?.keepsUnawaited = keepsUnawaited
        return abandonIfUnused(flight)
    }

    /// Removes a flight without waiters, unless it is kept for later calls.
    private mutating func abandonIfUnused(_ flight: ID) -> Bool {
        guard let known = flights[flight], known.waiters.isEmpty else { return false }
        if known.keepsUnawaited, flightByKey[known.key] == flight { return false }
        _ = finish(flight)
        return true
    }

    /// Removes the waiters of a flight, which goes on.
    /// - Returns: the waiters, in the order of their IDs.
    package mutating func takeWaiters(of flight: ID) -> [Waiter] {
        guard let waiters = flights[flight]?.waiters else { return [] }
        flights[flight]?.waiters = [:]
        for id in waiters.keys { flightByWaiter[id] = nil }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Ends all flights, detached ones too.
    /// - Returns: the flights, which are abandoned, and their waiters, each in the order of their IDs.
    package mutating func abandonAll() -> (flights: [ID], waiters: [Waiter]) {
        let flights = flights.keys.sorted()
        return (flights, flights.flatMap { finish($0) })
    }

    /// Ends a flight.
    /// - Returns: its waiters, in the order of their IDs.
    package mutating func finish(_ flight: ID) -> [Waiter] {
        let waiters = takeWaiters(of: flight)
        guard let finished = flights.removeValue(forKey: flight) else { return [] }
        if flightByKey[finished.key] == flight { flightByKey[finished.key] = nil }
        return waiters
    }
}

extension SingleFlight: Sendable where Key: Sendable, Waiter: Sendable {}
extension SingleFlight.Flight: Sendable where Key: Sendable, Waiter: Sendable {}
extension SingleFlight.CancelResult: Sendable where Waiter: Sendable {}
