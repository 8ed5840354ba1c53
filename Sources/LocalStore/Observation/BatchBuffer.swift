/// Batches between a producer that blocks its thread and a consumer that suspends its task.
///
/// A pure value, guarded by a mutex; the caller resumes the returned waiters, and signals the producer, after unlocking.
///
/// ```
/// empty                -add->              stored
/// stored               -add->              full: the producer blocks
/// waiting              -add->              empty: the waiter gets the batch
/// empty                -take->             waiting
/// stored, full         -take->             one batch fewer; a blocked producer continues
/// empty, stored, full  -finish->           finished: the batches are still delivered, then the end
/// waiting              -finish->           finished: the waiter gets the end
/// any                  -cancel->           cancelled: the batches are dropped, a waiter gets the end, the producer ends
/// ```
struct BatchBuffer<Element, Waiter> {
    /// What ``take(_:)`` and the waiter get: a batch, or the end with its error.
    enum Delivery {
        case batch([Element])
        case end((any Error)?)
    }

    /// What ``add(_:)`` tells the producer.
    enum Addition {
        /// The waiter gets the batch; go on.
        case deliver(Waiter)
        /// Go on.
        case stored
        /// Block until signaled, then go on.
        case full
        /// End: nothing is delivered any more.
        case cancelled
    }

    /// What ``take(_:)`` tells the consumer.
    enum Taking {
        /// The waiter is kept.
        case suspend
        /// The waiter is resumed at once.
        case resume(Delivery, unblocksProducer: Bool)
    }

    /// The maximum number of batches that are not taken.
    static var capacity: Int { 2 }

    private var batches: [[Element]] = []
    private var waiter: Waiter?
    private var isProducerBlocked = false
    private var isCancelled = false
    /// Nil while the producer runs.
    private var end: Delivery?

    /// True after ``cancel()``.
    var mustEnd: Bool { isCancelled }

    /// Adds a batch of the producer.
    mutating func add(_ batch: [Element]) -> Addition {
        if isCancelled { return .cancelled }
        if let waiter = waiter.take() { return .deliver(waiter) }
        batches.append(batch)
        guard batches.count >= Self.capacity else { return .stored }
        isProducerBlocked = true
        return .full
    }

    /// Takes the oldest batch, or keeps the waiter. There is one at a time.
    mutating func take(_ waiter: Waiter) -> Taking {
        guard batches.isEmpty else {
            let unblocksProducer = isProducerBlocked
            isProducerBlocked = false
            return .resume(.batch(batches.removeFirst()), unblocksProducer: unblocksProducer)
        }
        if let end {
            // The error is delivered once.
            self.end = .end(nil)
            return .resume(end, unblocksProducer: false)
        }
        guard self.waiter == nil else { return .resume(.end(nil), unblocksProducer: false) }
        self.waiter = waiter
        return .suspend
    }

    /// Ends the batches.
    /// - Parameter error: the error of the producer.
    /// - Returns: the waiter to resume with the end.
    mutating func finish(_ error: (any Error)?) -> Waiter? {
        guard end == nil else { return nil }
        guard let waiter = waiter.take() else {
            end = .end(error)
            return nil
        }
        end = .end(nil)
        return waiter
    }

    /// Ends the consumer.
    /// - Returns: the waiter to resume with the end, and true if the producer is blocked.
    mutating func cancel() -> (waiter: Waiter?, unblocksProducer: Bool) {
        isCancelled = true
        batches = []
        end = .end(nil)
        defer { isProducerBlocked = false }
        return (waiter.take(), isProducerBlocked)
    }
}
