/// A two-stack FIFO: adding and removing an element take constant time, amortized.
package struct FIFO<Element> {
    /// The oldest elements, in reverse order.
    private var oldest: [Element] = []
    /// The newer ones, in order.
    private var newest: [Element] = []

    package init() {}

    package var isEmpty: Bool { oldest.isEmpty && newest.isEmpty }

    package mutating func append(_ element: Element) { newest.append(element) }

    package mutating func popFirst() -> Element? {
        if oldest.isEmpty {
            swap(&oldest, &newest)
            oldest.reverse()
        }
        return oldest.popLast()
    }

    package mutating func removeAll() { (oldest, newest) = ([], []) }
}

extension FIFO: Sendable where Element: Sendable {}
