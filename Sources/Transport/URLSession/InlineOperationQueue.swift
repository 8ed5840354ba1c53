import Foundation

#if !canImport(Darwin)
    /// Runs what it is given at once, on the caller's thread.
    ///
    /// As the delegate queue of a session on Linux it makes limits exact: with a real queue a response of any size
    /// piles up in it before the delegate has seen the first byte.
    final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
        override func addOperation(_ operation: Operation) { operation.start() }
    }
#endif
