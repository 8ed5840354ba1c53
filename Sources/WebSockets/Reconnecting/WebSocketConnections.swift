import Coordination
import Foundation
public import HTTPMessages
public import ResponseDecoding
import Synchronization
public import Transport

extension Transport {
    /// Opens a WebSocket again and again: one after the other, with backoff, until this side closes one.
    ///
    /// ```swift
    /// for try await socket in stack.webSockets(request) {
    ///     try await socket.send(.text("subscribe"))
    ///     for try await message in socket.messages { show(message) }
    /// }
    /// ```
    ///
    /// The messages of such a socket end without an error when the connection is lost; ``WebSocket/failure`` tells why.
    /// - Parameters:
    ///   - policy: backoff and limit, as for event streams. The failures in a row count from the last socket that has
    ///     delivered a message.
    ///   - clock: measures the backoff, and what the options have.
    public func webSockets(
        _ request: HTTPRequest, options: WebSocketOptions = WebSocketOptions(),
        reconnecting policy: ReconnectionPolicy = ReconnectionPolicy(initialBackoff: .seconds(1)),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> WebSocketConnections {
        let clock = AnyMonotonicClock(clock)
        return WebSocketConnections(request: request, policy: policy, clock: clock) { [self] request in
            try await webSocket(request, options: options, observer: nil, clock: clock, endsQuietly: true)
        }
    }
}

/// The sockets of one request, one after the other.
///
/// An element is open when it is delivered. The next one is opened once it has ended, after a backoff; if it is still
/// open then, it is closed. The sequence ends when this side has closed a socket, and throws an error that another
/// attempt would meet too, such as a refused handshake, or `tooManyFailures`. Closing a socket that has ended already
/// changes nothing: to end the sequence during a backoff, cancel the task that iterates.
public struct WebSocketConnections: AsyncSequence, Sendable {
    let request: HTTPRequest
    let policy: ReconnectionPolicy
    let clock: AnyMonotonicClock
    let open: @Sendable (HTTPRequest) async throws -> WebSocket

    /// Makes the iterator, which opens the sockets.
    public func makeAsyncIterator() -> Iterator { Iterator(connections: self) }

    /// Opens the sockets.
    public struct Iterator: AsyncIteratorProtocol {
        let connections: WebSocketConnections
        /// The request of each handshake: one call, which does not go on as the next user.
        private var request: HTTPRequest
        private var last: WebSocket?
        private var failures = 0
        private var hasEnded = false

        init(connections: WebSocketConnections) {
            self.connections = connections
            request = connections.request
            request.options.beginCall()
        }

        /// The next open socket; nil once this side has closed one.
        /// - Throws: ``WebSocketError``; the errors of `Transport.send(_:observer:)`; `cancelled`.
        public mutating func next() async throws -> WebSocket? {
            guard !hasEnded else { return nil }
            if let last {
                self.last = nil
                // Its messages end when another task begins to close it.
                let wasClosed = last.closure.map { $0.isLocal && last.failure == nil } ?? false
                if wasClosed || last.hasBegunToClose {
                    hasEnded = true
                    return nil
                }
                if last.closure == nil { try await last.close(.goingAway) }
                failures = last.hasReceived ? 1 : failures + 1
                try await wait(after: last.failure)
            }
            while true {
                do {
                    let socket = try await connections.open(request)
                    last = socket
                    return socket
                } catch {
                    guard connections.policy.isRetryable(error) else {
                        hasEnded = true
                        throw error
                    }
                    failures += 1
                    try await wait(after: error)
                }
            }
        }

        /// Waits for the backoff.
        private mutating func wait(after error: (any Error)?) async throws {
            let policy = connections.policy
            if let limit = policy.maximumFailures, failures > limit {
                hasEnded = true
                throw WebSocketError(
                    .tooManyFailures,
                    "\(failures) attempts to connect in a row failed, or connections ended at once; check `underlying`, if it is "
                        + "not nil, or raise "
                        + "`ReconnectionPolicy.maximumFailures`.", underlying: error)
            }
            var generator = SystemRandomNumberGenerator()
            let backoff = policy.backoff(afterFailures: failures, requested: nil, using: &generator)
            do {
                try await connections.clock.sleep(until: connections.clock.now + backoff)
            } catch {
                hasEnded = true
                throw WebSocketError.cancelled
            }
        }
    }
}

extension ReconnectionPolicy {
    /// True if another attempt may succeed.
    fileprivate func isRetryable(_ error: any Error) -> Bool {
        if let error = error as? WebSocketError { return error.status.map { retryableStatuses.contains($0) } ?? false }
        return (error as? any ReconnectableError)?.permitsReconnection ?? false
    }
}
