import StoreCore
import Synchronization

/// The interrupts of a ``MemoryStore``: a counter. A statement that sees another value than at its beginning ends, so
/// an interrupt never reaches a later one.
final class InterruptCounter: Sendable {
    private let interrupts = Atomic(0)
    /// The number of threads in `close()`.
    private let closers = Atomic(0)

    /// The number of interrupts so far.
    var count: Int { interrupts.load(ordering: .relaxed) }

    /// True while a thread is in `close()`: reads that run long end.
    var isClosing: Bool { closers.load(ordering: .relaxed) > 0 }

    /// Interrupts the statements that run now.
    func interrupt() { interrupts.add(1, ordering: .relaxed) }

    func beginClosing() { closers.add(1, ordering: .relaxed) }
    func endClosing() { closers.subtract(1, ordering: .relaxed) }
}
