public import HTTPMessages
import Transport

/// Submission with a callback: a waiting request costs its handler and no task.
extension RequestQueue {
    /// An event of a submitted request.
    @nonexhaustive public enum Event: Sendable {
        /// The submitter may continue: the queue has capacity again; see ``QueueLimits/OverflowPolicy/suspend``.
        case admitted
        /// Send the request of the lease, and call ``Lease/finish()`` when it is done, regardless of its outcome.
        case started(Lease)
        /// Stop the running request, and finish its lease as usual.
        ///
        /// If another thread finishes the lease just then, this may come shortly after ``Lease/finish()``: ignore it,
        /// and do not stop a next request on the same connection.
        case cancelRequested
        /// The request ended in the queue: cancelled (`TransportError`), expired or dropped (``AdmissionError``).
        case failed(any Error)
    }

    /// The slot of one running request.
    public final class Lease: Sendable {
        /// The request's ID.
        public let id: ID
        /// The request, with the remaining total timeout.
        public let request: HTTPRequest
        private let queue: RequestQueue

        fileprivate init(id: ID, request: HTTPRequest, queue: RequestQueue) {
            self.id = id
            self.request = request
            self.queue = queue
        }

        deinit { finish() }

        /// Frees the slot. Idempotent, and implied when the lease is released.
        public func finish() { queue.finish(id) }
    }

    /// The identity of a submitted request.
    public struct Ticket: Hashable, Sendable {
        /// The request's ID.
        public let id: ID
        /// False if the queue is full: submit no more until ``Event/admitted`` or ``Event/started(_:)``.
        public let isAdmitted: Bool
    }

    /// Submits a request without a task.
    ///
    /// ```swift
    /// try queue.submit(request) { event in
    ///     switch event {
    ///     case .started(let lease): client.fetch(lease.request) { completion($0); lease.finish() }
    ///     case .cancelRequested: client.stop(request)
    ///     case .failed(let error): completion(.failure(error))
    ///     case .admitted: break
    ///     }
    /// }
    /// ```
    /// - Parameter handler: receives ``Event/started(_:)`` or ``Event/failed(_:)`` exactly once. The events of a queue
    ///   are serial, on any thread, possibly before this method returns; a handler that blocks delays all of them.
    /// - Throws: ``AdmissionError``, `HTTPMessageError` (`invalidTimeout`); the handler then receives nothing.
    @discardableResult
    public func submit(_ request: HTTPRequest, _ handler: @escaping @Sendable (Event) -> Void) throws -> Ticket {
        let arrival = now
        // Weak, so that releasing the queue ends the requests that wait in it.
        let notify: Handler = { [weak self] action in
            switch action {
            case .admit: handler(.admitted)
            case .cancelRunning: handler(.cancelRequested)
            case .cancel, .expire, .drop:
                if let error = Self.error(action, request) { handler(.failed(error)) }
            case .drained: break
            case .start(let id):
                do {
                    guard let self else { throw TransportError.cancelled(request) }
                    let request = try self.start(request, id, arrival: arrival)
                    handler(.started(Lease(id: id, request: request, queue: self)))
                } catch {
                    handler(.failed(error))
                }
            }
        }
        var isAdmitted = true
        let id = try submit(request, notifying: notify, isCancellable: true, arrival: arrival) { _, id, result in
            if case .suspended = result { isAdmitted = false }
            // Delivered like any other action, which keeps the events of the request in order.
            if case .started = result { return [.start((id, Entry(handler: notify, method: request.method)))] }
            return []
        }
        return Ticket(id: id, isAdmitted: isAdmitted)
    }
}
