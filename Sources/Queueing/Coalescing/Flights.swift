import Transport

/// Which callers share which sends, as a state machine. It knows no transport, no task and no thread.
struct Flights<Key: Hashable, Passenger> {
    private struct Flight {
        let key: Key
        var passengers: [UInt64: Passenger] = [:]
        /// What newcomers have missed: the last event of each kind.
        var events: [TransferEvent] = []
    }
    struct Boarding: Equatable {
        let flight: UInt64
        /// True when the flight has to be started, because there was none for the key.
        let isNew: Bool
        /// What the passenger has missed.
        let missed: [TransferEvent]
    }
    struct Leaving {
        let passenger: Passenger
        /// The flight that is to be cancelled, because nobody is left on it.
        let abandoned: UInt64?
    }

    private var flights: [UInt64: Flight] = [:]
    private var flightsByKey: [Key: UInt64] = [:]
    private var flightsByPassenger: [UInt64: UInt64] = [:]
    private var lastID: UInt64 = 0

    /// How many flights are under way.
    var count: Int { flights.count }

    /// How many passengers are on them.
    var passengers: Int { flightsByPassenger.count }

    /// A name for a passenger or a flight.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// A passenger joins the flight that is under way for a key, or a new one.
    mutating func board(_ passenger: Passenger, id: UInt64, for key: Key) -> Boarding {
        let known = flightsByKey[key]
        let flight = known ?? makeID()
        flightsByKey[key] = flight
        flightsByPassenger[id] = flight
        flights[flight, default: Flight(key: key)].passengers[id] = passenger
        return Boarding(flight: flight, isNew: known == nil, missed: flights[flight]?.events ?? [])
    }

    /// A passenger leaves; nil when it is on no flight any more.
    mutating func leave(_ id: UInt64) -> Leaving? {
        guard let flight = flightsByPassenger.removeValue(forKey: id),
            let passenger = flights[flight]?.passengers.removeValue(forKey: id)
        else { return nil }
        guard flights[flight]?.passengers.isEmpty == true else { return Leaving(passenger: passenger, abandoned: nil) }
        _ = end(flight)
        return Leaving(passenger: passenger, abandoned: flight)
    }

    func isUnderWay(_ flight: UInt64) -> Bool { flights[flight] != nil }

    /// Something has happened on a flight.
    /// - Returns: who is to hear of it.
    mutating func note(_ event: TransferEvent, on flight: UInt64) -> [Passenger] {
        guard flights[flight] != nil else { return [] }
        flights[flight]?.events.supersede(with: event)
        return flights[flight].map { Array($0.passengers.values) } ?? []
    }

    /// A flight has ended.
    /// - Returns: who was on it.
    mutating func end(_ flight: UInt64) -> [Passenger] {
        guard let ended = flights.removeValue(forKey: flight) else { return [] }
        flightsByKey[ended.key] = nil
        for id in ended.passengers.keys { flightsByPassenger[id] = nil }
        return Array(ended.passengers.values)
    }
}
