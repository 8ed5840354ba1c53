import Foundation
public import HTTPMessages
public import Transport

/// A layer that records the requests, transfer events and outcomes of its base.
///
/// ```swift
/// let transport = RecordingTransport(base: URLSessionTransport())
/// _ = try await transport.send(request)
/// #expect(transport.exchanges[0].events.last == .receivedBytes(5, total: 5))
/// ```
public struct RecordingTransport<Base: Transport>: Transport {
    /// One request with its events and its outcome.
    public struct Exchange: Sendable {
        /// The request.
        public let request: HTTPRequest
        /// The transfer events before the outcome.
        public fileprivate(set) var events: [TransferEvent] = []
        /// The transfer events after the outcome, which are a fault of the transport.
        public fileprivate(set) var lateEvents: [TransferEvent] = []
        /// The outcome, or nil while the request is in flight.
        public fileprivate(set) var outcome: Result<HTTPResponse, any Error>?

        /// The response, or nil.
        public var response: HTTPResponse? { try? outcome?.get() }

        /// The error, or nil.
        public var error: (any Error)? {
            if case .failure(let error) = outcome { error } else { nil }
        }

        /// True when the request was cancelled.
        public var isCancelled: Bool { error?.isCancellation ?? false }
    }

    private struct Observer: TransferObserver {
        let number: Int
        let log: Watched<[Exchange]>
        let next: (any TransferObserver)?

        var isImmediate: Bool { next?.isImmediate ?? false }

        func transfer(didEmit event: TransferEvent) {
            log.update { exchanges in
                if exchanges[number].outcome == nil {
                    exchanges[number].events.append(event)
                } else {
                    exchanges[number].lateEvents.append(event)
                }
            }
            next?.transfer(didEmit: event)
        }
    }

    /// The transport below.
    public let base: Base
    private let log = Watched<[Exchange]>([])

    /// Creates a recording layer over a transport.
    public init(base: Base) { self.base = base }

    /// The exchanges so far, in the order of their start.
    public var exchanges: [Exchange] { log.value }

    /// Suspends until `count` exchanges have an outcome, and returns all exchanges.
    /// - Throws: `CancellationError` when the task is cancelled first.
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

    /// Records the outcome, unless there is one already.
    private func end(_ number: Int, _ outcome: Result<HTTPResponse, any Error>) {
        log.update { exchanges in
            if exchanges[number].outcome == nil { exchanges[number].outcome = outcome }
        }
    }
}

extension RecordingTransport: StreamingTransport where Base: StreamingTransport {
    /// Streams the request through the base. The outcome comes with the end of the body; a body that is released before
    /// its end counts as cancelled.
    /// - Throws: what the base throws.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let number = begin(request)
        do {
            let response = try await base.stream(
                request, observer: Observer(number: number, log: log, next: observer))
            let body = ObservedBody(response.body) { chunks, _, error in
                let body = chunks.reduce(into: Data()) { $0.append($1) }
                end(number, error.map(Result.failure) ?? .success(HTTPResponse(head: response.head, body: body)))
            }
            return HTTPResponseStream(head: response.head, body: body)
        } catch {
            end(number, .failure(error))
            throw error
        }
    }
}
