/// Rendezvous of one producer and one consumer, as a state machine over opaque waiters.
///
/// ```
/// idle            -> consumer waits    consume
/// idle            -> producer waits    produce
/// producer waits  -> consumer waits    consume: wakes the producer
/// consumer waits  -> idle              deliver: wakes the consumer
/// any             -> finished          finish: wakes the consumer
/// ```
///
/// A cancelled producer is told to stop by each further `produce`; the consumer keeps waiting for `finish`.
struct RendezvousState<Consumer, Producer> {
    /// The outcome of `consume`.
    enum Demand {
        /// Wait for a chunk, and wake the producer if it waits.
        case wait(waking: Producer?)
        /// The body is over, with an error or without.
        case end((any Error)?)
    }

    private var consumer: Consumer?
    private var producer: Producer?
    private var isProducerCancelled = false
    /// Nil until the producer has finished.
    private var completion: Result<Void, any Error>?

    /// The consumer requests the next chunk.
    mutating func consume(_ consumer: Consumer) -> Demand {
        if let completion {
            // An error is thrown once.
            self.completion = .success(())
            if case .failure(let error) = completion { return .end(error) }
            return .end(nil)
        }
        self.consumer = consumer
        return .wait(waking: producer.take())
    }

    /// The producer is ready to read a chunk.
    /// - Returns: true to read one, false to stop, nil to wait for demand.
    mutating func produce(_ producer: Producer) -> Bool? {
        if isProducerCancelled { return false }
        if consumer != nil { return true }
        self.producer = producer
        return nil
    }

    /// Cancels the producer.
    /// - Returns: the producer to wake, if it waits.
    mutating func cancelProducer() -> Producer? {
        isProducerCancelled = true
        return producer.take()
    }

    /// The producer has a chunk.
    /// - Returns: the consumer that gets it.
    mutating func deliver() -> Consumer? { consumer.take() }

    /// The producer has finished, with an error or at the end of the body.
    /// - Returns: the waiting consumer to notify. Without one, the next `consume` gets the error.
    mutating func finish(_ error: (any Error)?) -> Consumer? {
        guard let consumer = consumer.take() else {
            completion = error.map(Result.failure) ?? .success(())
            return nil
        }
        completion = .success(())
        return consumer
    }
}

extension RendezvousState: Sendable where Consumer: Sendable, Producer: Sendable {}
