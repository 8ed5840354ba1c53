import Coordination
import Dispatch
import Synchronization

/// Rows of one iterator, produced on a thread of their own.
///
/// The producer ends when the last reference to the stream is released.
final class RowStream<Row: Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<[Row]?, any Error>
    /// Reads the rows and passes each to `add`, until that returns false.
    typealias Source = @Sendable (_ add: (Row) -> Bool) throws -> Void

    /// The state that the producer's task retains, instead of the stream.
    private final class Producer: Sendable {
        private let buffer = Mutex(BatchBuffer<Row, Waiter>())
        /// Signaled when a blocked producer may continue.
        private let room = DispatchSemaphore(value: 0)

        /// Produces all rows, on the thread of the stream.
        func run(_ source: Source) {
            var batch: [Row] = []
            let outcome = Result {
                try source { row in
                    batch.append(row)
                    guard batch.count == RowStream.batchSize else { return true }
                    let full = batch
                    batch = []
                    batch.reserveCapacity(RowStream.batchSize)
                    return add(full)
                }
            }
            switch outcome {
            case .success:
                if batch.isEmpty || add(batch) { finish(nil) }
            case .failure(let error):
                // The rows before the error are delivered.
                if batch.isEmpty || add(batch) { finish(error) }
            }
        }

        /// - Returns: false when the consumer has ended.
        private func add(_ batch: [Row]) -> Bool {
            switch buffer.withLock({ $0.add(batch) }) {
            case .deliver(let waiter): waiter.resume(returning: batch)
            case .stored: break
            case .full:
                room.wait()
                return !buffer.withLock(\.mustEnd)
            case .cancelled: return false
            }
            return true
        }

        private func finish(_ error: (any Error)?) {
            guard let waiter = buffer.withLock({ $0.finish(error) }) else { return }
            if let error { waiter.resume(throwing: error) } else { waiter.resume(returning: nil) }
        }

        func take(_ waiter: Waiter) {
            guard case .resume(let delivery, let unblocksProducer) = buffer.withLock({ $0.take(waiter) }) else {
                return
            }
            if unblocksProducer { room.signal() }
            switch delivery {
            case .batch(let batch): waiter.resume(returning: batch)
            case .end(nil): waiter.resume(returning: nil)
            case .end(let error?): waiter.resume(throwing: error)
            }
        }

        func cancel() {
            let (waiter, unblocksProducer) = buffer.withLock { $0.cancel() }
            if unblocksProducer { room.signal() }
            waiter?.resume(returning: nil)
        }
    }

    /// Maximum number of rows in a batch.
    static var batchSize: Int { 256 }

    private let producer = Producer()
    private let task: Task<Void, Never>

    /// Starts the producer.
    init(on thread: WorkerThreads, _ source: @escaping Source) {
        task = Task(executorPreference: thread) { [producer] in producer.run(source) }
    }

    deinit { cancel() }

    /// Waits for the next batch, which is not empty; nil at the end, or once the task is cancelled.
    /// - Throws: the error of the query, once.
    func next(isolation actor: isolated (any Actor)?) async throws -> [Row]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(isolation: actor) { producer.take($0) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the producer: at once when it is blocked, shortly after when it runs a query.
    func cancel() {
        task.cancel()
        producer.cancel()
    }
}
