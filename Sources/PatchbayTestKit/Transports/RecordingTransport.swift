public import HTTPMessages
public import Transport

/// Passes requests on, and remembers what was sent, what was reported and how each call ended.
///
/// ```swift
/// let transport = RecordingTransport(base: URLSessionTransport())
/// _ = try await transport.send(request)
/// #expect(transport.exchanges[0].events.last == .received(5, of: 5))
/// ```
public struct RecordingTransport<Base: Transport>: Transport {
    /// One call.
    public struct Exchange: Sendable {
        /// What was sent.
        public let request: HTTPRequest
        /// What the transport reported while the call went on.
        public fileprivate(set) var events: [TransferEvent] = []
        /// What the transport reported after the call had ended, which no transport may.
        public fileprivate(set) var lateEvents: [TransferEvent] = []
        /// How it ended, or nil while it goes on.
        public fileprivate(set) var outcome: Result<HTTPResponse, any Error>?

        /// The response, or nil.
        public var response: HTTPResponse? { try? outcome?.get() }

        /// The error, or nil.
        public var error: (any Error)? {
            if case .failure(let error) = outcome { error } else { nil }
        }

        /// True when it ended by cancellation.
        public var isCancelled: Bool { error?.isCancellation ?? false }
    }

    private struct Observer: TransferObserver {
        let number: Int
        let log: Watched<[Exchange]>
        let next: (any TransferObserver)?

        func transfer(didReach event: TransferEvent) {
            log.update { exchanges in
                if exchanges[number].outcome == nil {
                    exchanges[number].events.append(event)
                } else {
                    exchanges[number].lateEvents.append(event)
                }
            }
            next?.transfer(didReach: event)
        }
    }

    /// The transport that does the work.
    public let base: Base
    private let log = Watched<[Exchange]>([])

    /// A recorder around a transport.
    public init(base: Base) { self.base = base }

    /// The calls so far, in the order in which they began.
    public var exchanges: [Exchange] { log.value }

    /// The calls, as soon as so many of them have ended.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    @discardableResult
    public func exchanges(ended count: Int) async throws -> [Exchange] {
        try await log.wait { $0.count { $0.outcome != nil } >= count }
    }

    /// Sends the request through the base.
    /// - Throws: what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let number = log.update { exchanges in
            exchanges.append(Exchange(request: request))
            return exchanges.count - 1
        }
        do {
            let response = try await base.send(
                request, observer: Observer(number: number, log: log, next: observer))
            log.update { $0[number].outcome = .success(response) }
            return response
        } catch {
            log.update { $0[number].outcome = .failure(error) }
            throw error
        }
    }
}
