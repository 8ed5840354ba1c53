import Coordination
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Shared requests in flight: the ``SingleFlight`` state machine, its lock, and the waiting callers.
///
/// Each request runs in a task of its own, since it may outlive the caller that started it.
final class SharedRequests: Sendable {
    /// The properties that shared requests must have in common.
    struct Key: Hashable, Sendable {
        private let method: HTTPMethod
        private let url: String
        private let fields: HTTPFields
        private let options: RequestOptions

        /// The key of a request, or nil if it cannot be shared.
        init?(_ request: HTTPRequest) {
            // A total timeout starts with its caller, so two callers cannot share it.
            guard request.method == .get || request.method == .head, request.body.isEmpty,
                request.options.timeouts.total == nil
            else { return nil }
            method = request.method
            url = request.url.absoluteString
            fields = request.fields
            var options = request.options
            options.priority = .normal
            options.tag = nil
            self.options = options
        }
    }

    private struct Caller: Sendable {
        let continuation: CheckedContinuation<HTTPResponse, any Error>
        let relay: ObserverRelay?

        func finish(_ outcome: Result<HTTPResponse, any Error>) {
            guard let relay else { return continuation.resume(with: outcome) }
            relay.finish { [continuation] in continuation.resume(with: outcome) }
        }

        /// Ends without delivering pending events; an event that is being delivered completes.
        func cancel(_ error: TransportError) {
            guard let relay else { return continuation.resume(throwing: error) }
            relay.abandon { [continuation] in continuation.resume(throwing: error) }
        }
    }
    private struct State {
        var flights = SingleFlight<Key, Caller>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }
    private struct Observer: TransferObserver {
        let requests: SharedRequests
        let flight: UInt64
        func transfer(didEmit event: TransferEvent) { requests.record(event, on: flight) }
    }

    private let state = Mutex(State())

    /// The number of requests in flight.
    var count: Int { state.withLock(\.flights.count) }

    /// The number of waiting callers.
    var waiterCount: Int { state.withLock(\.flights.waiterCount) }

    /// Sends a request, or joins an equal one in flight.
    func send(
        _ request: HTTPRequest, for key: Key, observer: (any TransferObserver)?, over base: some Transport
    ) async throws -> HTTPResponse {
        let id = state.withLock { $0.flights.makeID() }
        let relay = observer.map { ObserverRelay($0) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let caller = Caller(continuation: continuation, relay: relay)
                guard let joined = join(caller, id: id, for: key) else {
                    return caller.cancel(TransportError.cancelled(request))
                }
                if joined.isNew { start(joined.flight, request, over: base) }
            }
        } onCancel: {
            cancel(id, request)
            // After the end of the request the caller may still wait for its observer.
            relay?.expediteFinish()
        }
    }

    /// - Returns: nil if the caller is already cancelled.
    private func join(_ caller: Caller, id: UInt64, for key: Key) -> SingleFlight<Key, Caller>.JoinResult? {
        state.withLock { state in
            guard !Task.isCancelled else { return nil }
            let joined = state.flights.join(caller, id: id, for: key)
            // Under the lock, which orders events. The relay only queues them.
            if let relay = caller.relay { for event in joined.missedEvents { relay.send(event) } }
            return joined
        }
    }

    private func start(_ flight: UInt64, _ request: HTTPRequest, over base: some Transport) {
        let task = Task(executorPreference: WorkerThreads.calls) {
            let outcome: Result<HTTPResponse, any Error>
            do {
                let observer = Observer(requests: self, flight: flight)
                outcome = .success(try await base.send(request, observer: observer))
            } catch {
                outcome = .failure(error)
            }
            self.finish(flight, outcome)
        }
        let hasFinished = state.withLock { state in
            guard state.flights.isInFlight(flight) else { return true }
            state.tasks[flight] = task
            return false
        }
        if hasFinished { task.cancel() }
    }

    private func record(_ event: TransferEvent, on flight: UInt64) {
        state.withLock { state in
            for caller in state.flights.record(event, on: flight) { caller.relay?.send(event) }
        }
    }

    private func finish(_ flight: UInt64, _ outcome: Result<HTTPResponse, any Error>) {
        let callers = state.withLock { state in
            state.tasks[flight] = nil
            return state.flights.finish(flight)
        }
        for caller in callers { caller.finish(outcome) }
    }

    private func cancel(_ id: UInt64, _ request: HTTPRequest) {
        let (caller, task) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
            guard let cancelled = state.flights.cancel(id) else { return (nil, nil) }
            return (cancelled.waiter, cancelled.abandonedFlight.flatMap { state.tasks.removeValue(forKey: $0) })
        }
        task?.cancel()
        caller?.cancel(TransportError.cancelled(request))
    }
}
