/// An element of a ``DeadlineQueue``.
protocol Deadlined: AnyObject {
    /// The element's index in the queue; nil outside. Only the queue sets it.
    var deadlineIndex: Int? { get set }
}

/// Indexed binary min-heap of elements by the time at which to look at their deadlines.
///
/// Activity moves most deadlines later, and most transfers end long before theirs. So an entry may be early: its
/// element is looked at then, and scheduled again. An element leaves at once, so that the queue holds none that has
/// ended.
struct DeadlineQueue<Element: Deadlined, Instant: Comparable> {
    private struct Entry {
        var instant: Instant
        let element: Element
    }

    /// Each entry is not after its children, at `2 * index + 1` and `2 * index + 2`.
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    /// The earliest time at which to look at an element.
    var first: Instant? { entries.first?.instant }

    /// Adds an element, or moves it if its time is later than this one.
    mutating func schedule(_ element: Element, at instant: Instant) {
        if let index = element.deadlineIndex {
            guard instant < entries[index].instant else { return }
            entries[index].instant = instant
            siftUp(from: index)
        } else {
            entries.append(Entry(instant: instant, element: element))
            siftUp(from: entries.count - 1)
        }
    }

    /// Removes an element, if it is in the queue.
    mutating func remove(_ element: Element) {
        guard let index = element.deadlineIndex else { return }
        element.deadlineIndex = nil
        guard let last = entries.popLast(), index < entries.count else { return }
        entries[index] = last
        siftUp(from: index)
        siftDown(from: last.element.deadlineIndex ?? index)
    }

    /// Removes the first element whose time is not after `now`.
    mutating func popDue(at now: Instant) -> Element? {
        guard let entry = entries.first, entry.instant <= now else { return nil }
        remove(entry.element)
        return entry.element
    }

    // Both sifts move the other entries and write this one once, at its final index.

    private mutating func siftUp(from start: Int) {
        let entry = entries[start]
        var index = start
        while index > 0, case let parent = (index - 1) / 2, entry.instant < entries[parent].instant {
            place(entries[parent], at: index)
            index = parent
        }
        place(entry, at: index)
    }

    private mutating func siftDown(from start: Int) {
        let entry = entries[start]
        var index = start
        while case let left = 2 * index + 1, left < entries.count {
            let right = left + 1
            let child = right < entries.count && entries[right].instant < entries[left].instant ? right : left
            guard entries[child].instant < entry.instant else { break }
            place(entries[child], at: index)
            index = child
        }
        place(entry, at: index)
    }

    private mutating func place(_ entry: Entry, at index: Int) {
        entries[index] = entry
        entry.element.deadlineIndex = index
    }
}
