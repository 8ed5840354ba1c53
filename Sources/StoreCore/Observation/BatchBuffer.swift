/// Bounded FIFO of batches: the producer blocks its thread, the consumer suspends its task.
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
    /// A batch, or the end with the producer's error.
    enum Delivery {
        case batch([Element])
        case end((any Error)?)
    }

    /// The result of ``add(_:)``, for the producer.
    enum Addition {
        /// Resume the waiter with the batch, and continue.
        case deliver(Waiter)
        /// Continue.
        case stored
        /// Block until signaled, then continue.
        case full
        /// Stop: the consumer has ended.
        case cancelled
    }

    /// The result of ``take(_:)``, for the consumer.
    enum Taking {
        /// The waiter is stored until there is a batch.
        case suspend
        /// The waiter is resumed at once.
        case resume(Delivery, unblocksProducer: Bool)
    }

    /// Maximum number of batches that wait for the consumer.
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

    /// Takes the oldest batch, or stores the waiter. A second waiter gets the end.
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
