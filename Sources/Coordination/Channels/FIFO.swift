/// A two-stack FIFO: adding and removing an element take constant time, amortized.
struct FIFO<Element> {
    /// The oldest elements, in reverse order.
    private var oldest: [Element] = []
    /// The newer ones, in order.
    private var newest: [Element] = []

    var isEmpty: Bool { oldest.isEmpty && newest.isEmpty }

    mutating func append(_ element: Element) { newest.append(element) }

    mutating func popFirst() -> Element? {
        if oldest.isEmpty {
            swap(&oldest, &newest)
            oldest.reverse()
        }
        return oldest.popLast()
    }

    mutating func removeAll() { (oldest, newest) = ([], []) }
}

extension FIFO: Sendable where Element: Sendable {}
