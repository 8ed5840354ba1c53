/// The faults that a test has chosen for the next requests to each endpoint of an emulated server: a FIFO for each.
struct InjectedFaults<Endpoint: Hashable & Sendable, Fault: Sendable>: Sendable {
    private var faults: [Endpoint: [Fault]] = [:]

    /// Adds a fault for each of the next `count` requests, after those that have one.
    mutating func inject(_ fault: Fault, at endpoint: Endpoint, count: Int) {
        faults[endpoint, default: []] += Array(repeating: fault, count: max(0, count))
    }

    /// Removes the fault of the next request; nil if it has none.
    mutating func next(at endpoint: Endpoint) -> Fault? {
        guard faults[endpoint]?.isEmpty == false else { return nil }
        return faults[endpoint]?.removeFirst()
    }
}
