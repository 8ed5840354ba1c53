/// Slots for requests per origin, with a FIFO queue of the waiting requests.
///
/// Elements that ended while they waited stay in the queue: ``release(_:)`` skips those that `isObsolete`.
struct OriginQueues<Element> {
    private struct Queue {
        var running = 0
        /// True once the origin has responded over HTTP/2: many requests share a connection.
        var isMultiplexed = false
        var waiting: [Element] = []
        /// The index of the first waiting element.
        var first = 0

        mutating func acquire(_ limit: Int, _ element: Element) -> Bool {
            if isMultiplexed || running < limit {
                running += 1
                return true
            }
            waiting.append(element)
            return false
        }

        mutating func popFirst() -> Element? {
            guard first < waiting.count else { return nil }
            defer {
                first += 1
                if first == waiting.count {
                    (waiting, first) = ([], 0)
                } else if first >= 1024, first * 2 >= waiting.count {
                    waiting.removeFirst(first)
                    first = 0
                }
            }
            return waiting[first]
        }
    }

    private let limit: Int
    private let isObsolete: (Element) -> Bool
    private var queues: [String: Queue] = [:]

    init(limit: Int, isObsolete: @escaping (Element) -> Bool) {
        self.limit = max(1, limit)
        self.isObsolete = isObsolete
    }

    /// Acquires a slot, or adds the element to the queue.
    /// - Returns: true for a slot, to be released by ``release(_:)``.
    mutating func acquire(_ origin: String, for element: Element) -> Bool {
        queues[origin, default: Queue()].acquire(limit, element)
    }

    /// Releases a slot.
    /// - Returns: the next element, which gets the slot.
    mutating func release(_ origin: String) -> Element? {
        guard let index = queues.index(forKey: origin) else { return nil }
        while let next = queues.values[index].popFirst() {
            if !isObsolete(next) { return next }
        }
        queues.values[index].running -= 1
        return nil
    }

    /// Lifts the limit of an origin that speaks HTTP/2.
    /// - Returns: the waiting elements, each with a slot.
    mutating func setMultiplexed(_ origin: String) -> [Element] {
        guard let index = queues.index(forKey: origin), !queues.values[index].isMultiplexed else { return [] }
        queues.values[index].isMultiplexed = true
        var ready: [Element] = []
        while let next = queues.values[index].popFirst() {
            if !isObsolete(next) { ready.append(next) }
        }
        queues.values[index].running += ready.count
        return ready
    }

    /// Removes origins without requests, when there are many.
    mutating func trim() {
        if queues.count > 1024 { queues = queues.filter { $0.value.running > 0 } }
    }
}
