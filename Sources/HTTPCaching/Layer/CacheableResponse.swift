import Coordination
import Foundation
import HTTPMessages
import Transport

/// A response in memory or a streamed one, as a cache makes and stores it.
protocol CacheableResponse: HTTPResponseProtocol {
    /// A response with stored bytes; nil for none.
    static func stored(
        _ head: HTTPResponseHead, _ bytes: StoredBody.Slice?, to request: HTTPRequest,
        observer: (any TransferObserver)?
    ) throws -> Self

    /// Stores the body, now or as it is read.
    /// - Returns: the response to deliver, and what was stored already.
    func storing(
        with storing: ResponseStoring, observer: (any TransferObserver)?, finished: @escaping @Sendable (Bool) -> Void
    ) async -> (response: Self, stored: StoredResponse?)

    /// True if events of the request may still arrive after the response was returned.
    static var isStreamed: Bool { get }
}

extension HTTPResponse: CacheableResponse {
    static func stored(
        _ head: HTTPResponseHead, _ bytes: StoredBody.Slice?, to request: HTTPRequest,
        observer: (any TransferObserver)?
    ) throws -> HTTPResponse {
        guard let bytes else { return HTTPResponse(head: head, body: Data()) }
        let limit = request.options.maximumResponseBytes
        guard bytes.range.count <= limit else {
            let start = StoredBody.Slice(bytes: bytes.bytes, range: bytes.range.prefix(1_024))
            throw TransportError.responseTooLarge(
                limit: limit, request: request, head: head, bodyPrefix: try start.data())
        }
        return HTTPResponse(head: head, body: try bytes.data())
    }

    func storing(
        with storing: ResponseStoring, observer: (any TransferObserver)?, finished: @escaping @Sendable (Bool) -> Void
    ) async -> (response: HTTPResponse, stored: StoredResponse?) {
        let event = CacheEvents(observer)
        let stored = await storing.store(StoredBody(body)) { event.add($0) }
        await event.report()
        finished(stored != nil)
        return (self, stored)
    }

    static var isStreamed: Bool { false }
}

extension HTTPResponseStream: CacheableResponse {
    static func stored(
        _ head: HTTPResponseHead, _ bytes: StoredBody.Slice?, to request: HTTPRequest,
        observer: (any TransferObserver)?
    ) throws -> HTTPResponseStream {
        guard let bytes, case .file = bytes.bytes else {
            let data = try bytes?.data() ?? Data()
            return HTTPResponseStream(
                head: head, body: BufferedResponseBody(data, of: request, observer: observer))
        }
        return HTTPResponseStream(
            head: head, body: StoredFileBody(try bytes.body(), request: request, observer: observer))
    }

    func storing(
        with storing: ResponseStoring, observer: (any TransferObserver)?, finished: @escaping @Sendable (Bool) -> Void
    ) async -> (response: HTTPResponseStream, stored: StoredResponse?) {
        let body = StoringBody(body, storing, finished: finished)
        return (HTTPResponseStream(head: head, body: body), nil)
    }

    static var isStreamed: Bool { true }
}

extension Range<Int64> {
    fileprivate func prefix(_ count: Int64) -> Range<Int64> { lowerBound..<Swift.min(upperBound, lowerBound + count) }
}

/// Events of a cache that are reported together, on the threads of observers.
struct CacheEvents {
    private let observer: (any TransferObserver)?
    private let list = EventList()

    init(_ observer: (any TransferObserver)?) { self.observer = observer }

    func add(_ event: CacheEvent) { if observer != nil { list.events.append(.layer(event)) } }

    func report() async {
        guard let observer, !list.events.isEmpty else { return }
        await Self.report(list.events, to: observer)
    }

    private final class EventList { var events: [TransferEvent] = [] }

    static func report(_ events: [TransferEvent], to observer: any TransferObserver) async {
        let relay = ObserverRelay(observer)
        for event in events { relay.send(event) }
        await relay.finish()
    }
}
