public import HTTPMessages
import Transport

/// For calls that are not tasks: a request that waits costs its handler and no more.
extension RequestQueue {
    /// What becomes of a request that was handed in.
    public enum Event: Sendable {
        /// It was held, and is accepted now; see ``QueueLimits/Overflow/wait``.
        case accepted
        /// It is its turn: send what is in the turn, and call ``Turn/end()`` when that is done, however it ends.
        case started(Turn)
        /// It was cancelled while it runs: stop it, and end its turn as ever. Not said once its turn has ended.
        case stopping
        /// It has ended without a turn: cancelled, timed out (both `TransportError`) or dropped (``QueueError``).
        case ended(any Error)
    }

    /// The right of one request to run.
    public final class Turn: Sendable {
        /// The request's name.
        public let id: ID
        /// The request, with what is left of its total deadline.
        public let request: HTTPRequest
        private let queue: RequestQueue

        fileprivate init(id: ID, request: HTTPRequest, queue: RequestQueue) {
            self.id = id
            self.request = request
            self.queue = queue
        }

        deinit { end() }

        /// Gives the turn back. The second time nothing happens; a turn that nobody keeps any more ends by itself.
        public func end() { queue.leave(id) }
    }

    /// What one gets for handing in a request.
    public struct Receipt: Hashable, Sendable {
        /// The request's name.
        public let id: ID
        /// False when the queue is full, and ``Event/accepted`` or ``Event/started(_:)`` is to be waited for before
        /// handing in more.
        public let isAccepted: Bool
    }

    /// Takes a request whose call is not a task of its own.
    ///
    /// ```swift
    /// try queue.submit(request) { event in
    ///     switch event {
    ///     case .started(let turn): client.fetch(turn.request) { completion($0); turn.end() }
    ///     case .stopping: client.stop(request)
    ///     case .ended(let error): completion(.failure(error))
    ///     case .accepted: break
    ///     }
    /// }
    /// ```
    /// - Parameter handler: hears either ``Event/started(_:)`` or ``Event/ended(_:)``, once. Events of one queue come one
    ///   at a time, on any thread, maybe before this returns; a handler that blocks holds up all of them.
    /// - Throws: ``QueueError``, `HTTPMessageError` (`invalidTimeout`); then the handler hears nothing.
    @discardableResult
    public func submit(_ request: HTTPRequest, _ handler: @escaping @Sendable (Event) -> Void) throws -> Receipt {
        let arrival = now
        // Weak, because what waits in a queue that nobody holds any more has to end.
        let notify: Handler = { [weak self] id, notice in
            switch notice {
            case .accept: handler(.accepted)
            case .stop: handler(.stopping)
            case .end(let ending): handler(.ended(Self.error(ending, request)))
            case .start:
                do {
                    guard let self else { throw Self.error(.cancelled, request) }
                    let request = try self.begin(request, id, arrival: arrival)
                    handler(.started(Turn(id: id, request: request, queue: self)))
                } catch {
                    handler(.ended(error))
                }
            }
        }
        var isAccepted = true
        let id = try take(request, notify, isStoppable: true, arrival: arrival) { _, id, admission in
            if case .held = admission { isAccepted = false }
            // Said in order with what happens to the request from now on.
            if case .started = admission { return [.start(id, Entry(handler: notify, method: request.method))] }
            return []
        }
        return Receipt(id: id, isAccepted: isAccepted)
    }
}
