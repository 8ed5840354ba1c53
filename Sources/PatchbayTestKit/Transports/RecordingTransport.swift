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
        let number = begin(request)
        do {
            let response = try await base.send(
                request, observer: Observer(number: number, log: log, next: observer))
            end(number, .success(response))
            return response
        } catch {
            end(number, .failure(error))
            throw error
        }
    }

    private func begin(_ request: HTTPRequest) -> Int {
        log.update { exchanges in
            exchanges.append(Exchange(request: request))
            return exchanges.count - 1
        }
    }

    /// Notes the outcome, unless there is one.
    private func end(_ number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        log.update { exchanges in
            if exchanges[number].outcome == nil { exchanges[number].outcome = outcome }
        }
    }
}

extension RecordingTransport: StreamingTransport where Base: StreamingTransport {
    /// Sends the request through the base. The call ends with its body; one that is let go early counts as cancelled.
    /// - Throws: what the base throws.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let number = begin(request)
        do {
            let response = try await base.stream(
                request, observer: Observer(number: number, log: log, next: observer))
            let body = WatchedBody(response.body) { body, error in
                end(number, error.map(Result.failure) ?? .success(HTTPResponse(head: response.head, body: body)))
            }
            return HTTPResponseStream(head: response.head, body: body)
        } catch {
            end(number, .failure(error))
            throw error
        }
    }
}
