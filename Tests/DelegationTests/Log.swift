import Synchronization

/// A log of events in order.
final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock(\.self) }
    func note(_ element: Element) { elements.withLock { $0.append(element) } }
}
