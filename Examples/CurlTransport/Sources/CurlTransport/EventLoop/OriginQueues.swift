/// Slots for requests per origin, with a FIFO queue of the waiting requests.
///
/// A queue is a dictionary whose keys are tickets, consecutive numbers, so that a request can leave it at any place.
struct OriginQueues<Element> {
    /// The place of an element in the queue of its origin.
    typealias Ticket = Int

    private struct Queue {
        var running = 0
        var waiting: [Ticket: Element] = [:]
        /// No waiting element has an earlier ticket.
        var first = 0
        /// The ticket of the next element.
        var next = 0

        mutating func append(_ element: Element) -> Ticket {
            defer { next += 1 }
            waiting[next] = element
            return next
        }

        mutating func remove(_ ticket: Ticket) {
            waiting[ticket] = nil
            // A new dictionary, because an old one keeps its capacity.
            if waiting.isEmpty { (waiting, first) = ([:], next) }
        }

        mutating func popFirst() -> Element? {
            while first < next {
                if let element = waiting[first] {
                    remove(first)
                    return element
                }
                first += 1
            }
            return nil
        }
    }

    private static var maximumMultiplexed: Int { 1024 }

    private let limit: Int
    /// The origins with running requests.
    private var queues: [String: Queue] = [:]
    /// Origins that have responded over HTTP/2: many requests share a connection.
    private var multiplexed: Set<String> = []

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of slots in use.
    func running(_ origin: String) -> Int { queues[origin]?.running ?? 0 }

    /// Acquires a slot, or adds the element to the queue.
    /// - Returns: nil for a slot, to be released by ``release(_:)``; else the place in the queue.
    mutating func acquire(_ origin: String, for element: Element) -> Ticket? {
        let running = queues[origin]?.running ?? 0
        guard running < limit || multiplexed.contains(origin) else {
            return queues[origin, default: Queue()].append(element)
        }
        queues[origin, default: Queue()].running += 1
        return nil
    }

    /// Removes a waiting element.
    mutating func remove(_ ticket: Ticket, from origin: String) { queues[origin]?.remove(ticket) }

    /// Releases a slot.
    /// - Returns: the next element, which gets the slot.
    mutating func release(_ origin: String) -> Element? {
        guard let index = queues.index(forKey: origin) else { return nil }
        if let next = queues.values[index].popFirst() { return next }
        queues.values[index].running -= 1
        if queues.values[index].running == 0 { queues.remove(at: index) }
        return nil
    }

    /// Lifts the limit of an origin that speaks HTTP/2.
    /// - Returns: the waiting elements, each with a slot.
    mutating func setMultiplexed(_ origin: String) -> [Element] {
        guard !multiplexed.contains(origin) else { return [] }
        // An origin that is forgotten here returns with its next response.
        if multiplexed.count == Self.maximumMultiplexed { multiplexed = [] }
        multiplexed.insert(origin)
        guard let index = queues.index(forKey: origin) else { return [] }
        var ready: [Element] = []
        while let next = queues.values[index].popFirst() { ready.append(next) }
        queues.values[index].running += ready.count
        return ready
    }
}
