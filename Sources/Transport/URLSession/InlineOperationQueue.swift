import Foundation

#if !canImport(Darwin)
    /// An operation queue that runs operations synchronously on the caller's thread.
    ///
    /// It is the delegate queue of sessions on Linux, where it makes size limits exact: in an asynchronous queue, a
    /// response of any size can pile up before the delegate handles the first byte.
    final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
        override func addOperation(_ operation: Operation) { operation.start() }
    }
#endif
