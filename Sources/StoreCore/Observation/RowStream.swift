import Coordination

/// Rows of one iterator, produced on a thread of their own.
///
/// The producer ends when the last reference to the stream is released.
final class RowStream<Row: Sendable>: Sendable {
    /// Reads the rows and passes each to `add`, until that returns false.
    typealias Source = @Sendable (_ add: (Row) -> Bool) throws -> Void

    /// Maximum number of rows in a batch.
    static var batchSize: Int { 256 }

    /// The producer blocks its thread while two batches wait for the consumer.
    private let batches = Channel<[Row]>(capacity: 2)
    private let task: Task<Void, Never>

    /// Starts the producer, which retains the batches and not the stream.
    init(on thread: WorkerThreads, _ source: @escaping Source) {
        task = Task(executorPreference: thread) { [batches] in Self.produce(source, into: batches) }
    }

    deinit { cancel() }

    /// Produces all rows, on the thread of the stream. The rows before an error are delivered.
    private static func produce(_ source: Source, into batches: Channel<[Row]>) {
        var batch: [Row] = []
        let outcome = Result {
            try source { row in
                batch.append(row)
                guard batch.count == batchSize else { return true }
                let full = batch
                batch = []
                batch.reserveCapacity(batchSize)
                return batches.send(full) && batches.blockingRoom()
            }
        }
        if !batch.isEmpty { batches.send(batch) }
        if case .failure(let error) = outcome { batches.finish(error) } else { batches.finish() }
    }

    /// Waits for the next batch, which is not empty; nil at the end, or once the task is cancelled.
    /// - Throws: the error of the query, once.
    func next(isolation actor: isolated (any Actor)?) async throws -> [Row]? {
        // Also with batches that are ready.
        guard !Task.isCancelled else {
            cancel()
            return nil
        }
        return try await batches.next(isolation: actor) { self.cancel() }
    }

    /// Ends the producer: at once when it is blocked, shortly after when it runs a query.
    func cancel() {
        task.cancel()
        batches.close()
    }
}
