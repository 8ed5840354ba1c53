/// Chunks that go from one task to a reader in another, each when it is asked for, as a state machine.
///
/// The worker waits until somebody reads, gets a chunk and gives it, until it says that it has ended. It knows no task and
/// no body; who waits is a value that the machine keeps.
struct HandoverState<Reader, Worker> {
    /// What a reader who asks has to do.
    enum Ask {
        /// Wait; and wake the worker, if it waits.
        case wait(waking: Worker?)
        /// Go on: it failed, or else that was all.
        case end((any Error)?)
    }

    private var reader: Reader?
    private var worker: Worker?
    private var isStopped = false
    /// Nil while there is more to come.
    private var ending: Result<Void, any Error>?

    /// A reader wants the next chunk.
    mutating func ask(_ reader: Reader) -> Ask {
        if let ending {
            // An error is thrown once.
            self.ending = .success(())
            if case .failure(let error) = ending { return .end(error) }
            return .end(nil)
        }
        self.reader = reader
        return .wait(waking: worker.take())
    }

    /// The worker is ready to get a chunk.
    /// - Returns: whether there is to be one; nil when it has to wait for that.
    mutating func work(_ worker: Worker) -> Bool? {
        if isStopped { return false }
        if reader != nil { return true }
        self.worker = worker
        return nil
    }

    /// The worker is to wait for readers no longer.
    /// - Returns: the worker to be woken.
    mutating func stop() -> Worker? {
        isStopped = true
        return worker.take()
    }

    /// The worker has a chunk.
    /// - Returns: who gets it.
    mutating func give() -> Reader? { reader.take() }

    /// The worker has ended, with an error or because that was all.
    /// - Returns: who is to hear of it now. Without a reader the next one hears of it.
    mutating func end(_ error: (any Error)?) -> Reader? {
        guard let reader = reader.take() else {
            ending = error.map(Result.failure) ?? .success(())
            return nil
        }
        ending = .success(())
        return reader
    }
}

extension HandoverState: Sendable where Reader: Sendable, Worker: Sendable {}
