import Dispatch
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The sends that callers share: the state machine, a lock around it, and who waits for the outcome.
///
/// Each send is a task of its own, because it has to outlive the caller that started it. It runs beside the cooperative
/// pool, which blocked callers may have used up.
final class SharedSends: Sendable {
    /// What a request has to have in common with another one.
    struct Key: Hashable, Sendable {
        private let method: HTTPMethod
        private let url: String
        private let fields: HTTPFields
        private let options: RequestOptions

        /// The key of a request, or nil when it cannot be shared.
        init?(_ request: HTTPRequest) {
            // The time of a whole request starts with its caller, so it cannot be two callers'.
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

        func end(_ outcome: Result<HTTPResponse, any Error>) {
            guard let relay else { return continuation.resume(with: outcome) }
            relay.finish { [continuation] in continuation.resume(with: outcome) }
        }

        /// Ends at once, but for the event that its observer is just hearing.
        func cancel(_ error: TransportError) {
            guard let relay else { return continuation.resume(throwing: error) }
            relay.abandon { [continuation] in continuation.resume(throwing: error) }
        }
    }
    private struct State {
        var flights = Flights<Key, Caller>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }
    private struct Observer: TransferObserver {
        let sends: SharedSends
        let flight: UInt64
        func transfer(didReach event: TransferEvent) { sends.heard(event, on: flight) }
    }

    private static let executor = DispatchQueueExecutor(
        DispatchQueue(label: "patchbay.coalescing", attributes: .concurrent))

    private let state = Mutex(State())

    /// How many sends are under way.
    var count: Int { state.withLock(\.flights.count) }

    /// How many callers wait.
    var callers: Int { state.withLock(\.flights.passengers) }

    /// Sends a request, or waits for the send of another caller's.
    func send(
        _ request: HTTPRequest, for key: Key, observer: (any TransferObserver)?, over base: some Transport
    ) async throws -> HTTPResponse {
        let id = state.withLock { $0.flights.makeID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let caller = Caller(continuation: continuation, relay: observer.map { ObserverRelay($0) })
                guard let boarding = board(caller, id: id, for: key) else {
                    return caller.cancel(Self.cancellation(of: request))
                }
                if boarding.isNew { start(boarding.flight, request, over: base) }
            }
        } onCancel: {
            leave(id, request)
        }
    }

    /// Nil when the caller is cancelled already.
    private func board(_ caller: Caller, id: UInt64, for key: Key) -> Flights<Key, Caller>.Boarding? {
        state.withLock { state in
            guard !Task.isCancelled else { return nil }
            let boarding = state.flights.board(caller, id: id, for: key)
            // Under the lock, because only there do events have an order. The relay does no more than note them.
            if let relay = caller.relay { for event in boarding.missed { relay.send(event) } }
            return boarding
        }
    }

    private func start(_ flight: UInt64, _ request: HTTPRequest, over base: some Transport) {
        let task = Task(executorPreference: Self.executor) {
            let outcome: Result<HTTPResponse, any Error>
            do {
                let observer = Observer(sends: self, flight: flight)
                outcome = .success(try await base.send(request, observer: observer))
            } catch {
                outcome = .failure(error)
            }
            self.end(flight, outcome)
        }
        let isOver = state.withLock { state in
            guard state.flights.isUnderWay(flight) else { return true }
            state.tasks[flight] = task
            return false
        }
        if isOver { task.cancel() }
    }

    private func heard(_ event: TransferEvent, on flight: UInt64) {
        state.withLock { state in
            for caller in state.flights.note(event, on: flight) { caller.relay?.send(event) }
        }
    }

    private func end(_ flight: UInt64, _ outcome: Result<HTTPResponse, any Error>) {
        let callers = state.withLock { state in
            state.tasks[flight] = nil
            return state.flights.end(flight)
        }
        for caller in callers { caller.end(outcome) }
    }

    private func leave(_ id: UInt64, _ request: HTTPRequest) {
        let (caller, task) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
            guard let leaving = state.flights.leave(id) else { return (nil, nil) }
            return (leaving.passenger, leaving.abandoned.flatMap { state.tasks.removeValue(forKey: $0) })
        }
        task?.cancel()
        caller?.cancel(Self.cancellation(of: request))
    }

    private static func cancellation(of request: HTTPRequest) -> TransportError {
        TransportError(.cancelled, "The call was cancelled.", request: request)
    }
}
