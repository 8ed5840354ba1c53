import Coordination
import Foundation
import HTTPMessages
import Transport

/// Shared requests in flight: one request for all equal calls at the same time.
struct SharedRequests: Sendable {
    /// The properties that shared requests must have in common.
    struct Key: Hashable, Sendable {
        private let method: HTTPMethod
        private let url: String
        private let fields: HTTPFields
        private let options: RequestOptions
        /// The last sign-out before the call, if one has begun: a user shares no request of another.
        private let lastSignOut: Int

        /// The key of a request, or nil if it cannot be shared.
        init?(_ request: HTTPRequest) {
            // A total timeout starts with its caller, so two callers cannot share it.
            guard request.method == .get || request.method == .head, request.body.isEmpty,
                request.options.timeouts.total == nil, !request.needsOwnResponse
            else { return nil }
            method = request.method
            url = request.url.absoluteString
            fields = request.fields
            lastSignOut = request.options.call?.lastSignOut ?? 0
            var options = request.options
            options.priority = .normal
            options.tag = nil
            self.options = options
        }
    }

    private let requests = SharedTasks<Key, SharedEvents, HTTPResponse>()

    /// The number of requests in flight.
    var count: Int { requests.count }

    /// The number of waiting callers.
    var waiterCount: Int { requests.waiterCount }

    /// Sends a request, or joins an equal one in flight.
    func send(
        _ request: HTTPRequest, for key: Key, observer: (any TransferObserver)?, over base: some Transport
    ) async throws -> HTTPResponse {
        guard let observer else { return try await outcome(of: request, for: key, nil, over: base).get() }
        let relay = ObserverRelay(observer)
        let outcome = await outcome(of: request, for: key, relay, over: base)
        await relay.finish()
        return try outcome.get()
    }

    private func outcome(
        of request: HTTPRequest, for key: Key, _ relay: ObserverRelay?, over base: some Transport
    ) async -> Result<HTTPResponse, any Error> {
        let joined = Promise<SharedEvents>()
        defer { if let relay { joined.current?.remove(relay) } }
        do {
            return .success(
                try await requests.value(
                    for: key, sharing: SharedEvents(isImmediate: relay?.isImmediate ?? false)
                ) { events, isFirst in
                    guard let relay else { return }
                    if !isFirst, relay.isImmediate { relay.send(.layer(CoalescingEvent())) }
                    events.add(relay)
                    joined.fulfill(events)
                } _: { events in
                    try await base.send(request, observer: events)
                })
        } catch is CancellationError where Task.isCancelled {
            return .failure(TransportError.cancelled(request))
        } catch {
            return .failure(error)
        }
    }
}
