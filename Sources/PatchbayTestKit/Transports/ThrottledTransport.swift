import Coordination
import Foundation
public import HTTPMessages
import Synchronization
public import Transport

/// A layer that makes its base as slow and as lossy as a ``NetworkProfile``, on a clock of the test.
///
/// The timeouts of a request are kept: `timedOut` with the phase, at the time of the clock. A lost connection is
/// `connectionLost`; one that is lost in the body of a response without a body is lost after the base was called.
/// Copies share the number of requests, by which the profile chooses.
public struct ThrottledTransport<Base: Transport>: Transport {
    private final class Counter: Sendable {
        private let next = Atomic(0)
        func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
    }

    /// The transport below.
    public let base: Base
    /// The network.
    public let profile: NetworkProfile
    private let clock: AnyMonotonicClock
    private let counter = Counter()

    fileprivate init(base: Base, profile: NetworkProfile, clock: AnyMonotonicClock) {
        self.base = base
        self.profile = profile
        self.clock = clock
    }

    /// Sends the request after the time of its upload and the latency, and returns after that of the response.
    /// - Throws: `TransportError` (`connectionLost`, `timedOut`, `cancelled`); what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let transfer = try ThrottledTransfer(request, profile, number: counter.take(), clock)
        try await transfer.reachHead()
        let response = try await base.send(request, observer: observer)
        try await transfer.receive(response.body.count, head: response.head)
        return response
    }
}

extension ThrottledTransport: StreamingTransport where Base: StreamingTransport {
    /// Streams the request: the body arrives in pieces of a tenth of a second, and may be cut short.
    /// - Throws: as ``send(_:observer:)``.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let transfer = try ThrottledTransfer(request, profile, number: counter.take(), clock)
        try await transfer.reachHead()
        let response = try await base.stream(request, observer: observer)
        let hasNoBody = request.method == .head || response.status.forbidsBody || response.fields[.contentLength] == "0"
        if hasNoBody { try await transfer.receive(0, head: response.head) }
        return HTTPResponseStream(head: response.head, body: ThrottledBody(response, transfer))
    }
}

extension Transport {
    /// Makes a transport as slow and as lossy as a network.
    /// - Parameter clock: times the network; with a ``ManualClock`` the test controls it.
    public func throttled(
        by profile: NetworkProfile, clock: any Clock<Duration> = ContinuousClock()
    ) -> ThrottledTransport<Self> {
        ThrottledTransport(base: self, profile: profile, clock: AnyMonotonicClock(clock))
    }
}

/// The time of one request on a network.
private struct ThrottledTransfer: Sendable {
    let request: HTTPRequest
    let profile: NetworkProfile
    let conditions: NetworkProfile.Conditions
    private let clock: AnyMonotonicClock
    private let start: Duration

    /// The bytes of a body that arrive together: those of a tenth of a second.
    var pieceSize: Int { max(1, min(64 << 10, (profile.download ?? .max) / 10)) }

    init(_ request: HTTPRequest, _ profile: NetworkProfile, number: Int, _ clock: AnyMonotonicClock) throws {
        try request.options.timeouts.validate()
        self.request = request
        self.profile = profile
        self.clock = clock
        conditions = profile[number]
        start = clock.now
    }

    /// Waits for the upload and the latency.
    func reachHead() async throws {
        let upload = NetworkProfile.time(of: request.body.length.flatMap { Int(exactly: $0) } ?? 0, at: profile.upload)
        try await wait(upload, limit: nil, .response)
        try await wait(conditions.latency, limit: request.options.timeouts.response, .response)
        if conditions.loss == .beforeHead {
            throw lost(nil)
        }
    }

    /// Waits for a body of some bytes. The connection is idle for the time of one piece. A response without a body is
    /// lost with its head.
    func receive(_ count: Int, head: HTTPResponseHead) async throws {
        let pieceTime = NetworkProfile.time(of: min(count, pieceSize), at: profile.download)
        let idle = request.options.timeouts.idle.flatMap { $0 <= pieceTime ? $0 : nil }
        try await wait(NetworkProfile.time(of: count, at: profile.download), limit: idle, .idle)
        if case .inBody = conditions.loss { throw lost(count > 0 ? head : nil) }
    }

    /// - Parameter head: nil if the connection was lost before it.
    func lost(_ head: HTTPResponseHead?) -> TransportError {
        let place = head == nil ? "before the response head" : "in the response body"
        return TransportError(.connectionLost, "The connection was lost \(place).", request: request, head: head)
    }

    /// Waits, unless a timeout expires first.
    func wait(_ duration: Duration, limit: Duration?, _ phase: Timeouts.Phase) async throws {
        guard duration > .zero else { return }
        let now = clock.now
        var (end, expired) = (now + duration, nil as Timeouts.Phase?)
        if let limit, limit <= duration { (end, expired) = (now + limit, phase) }
        if let total = request.options.timeouts.total, start + total <= end { (end, expired) = (start + total, .total) }
        do {
            try await clock.sleep(until: end)
        } catch {
            throw TransportError.cancelled(request)
        }
        if let expired {
            throw TransportError.timedOut(expired, "Timed out on the network of the test.", request: request)
        }
    }
}

/// A body at the rate of a network.
private struct ThrottledBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let transfer: ThrottledTransfer
        private let head: HTTPResponseHead
        private var rest = Data()
        private var received = 0
        /// The bytes before the loss; nil without one.
        private let lossOffset: Int?

        fileprivate init(_ body: ThrottledBody) {
            chunks = body.chunks.makeAsyncIterator()
            transfer = body.transfer
            head = body.head
            guard case .inBody(let share) = transfer.conditions.loss else {
                lossOffset = nil
                return
            }
            // Of an unknown length, somewhere in the first 64 KiB.
            let length = head.fields[.contentLength].flatMap { Int($0) } ?? 64 << 10
            lossOffset = Int(Double(Swift.max(0, length)) * share)
        }

        mutating func next() async throws -> Data? {
            if rest.isEmpty {
                guard let chunk = try await chunks.next() else {
                    // Of a shorter body the end is lost.
                    if lossOffset != nil { throw transfer.lost(head) }
                    return nil
                }
                rest = chunk
            }
            var piece = rest.prefix(transfer.pieceSize)
            if let lossOffset {
                guard received < lossOffset else { throw transfer.lost(head) }
                piece = piece.prefix(lossOffset - received)
            }
            rest = Data(rest.dropFirst(piece.count))
            received += piece.count
            let time = NetworkProfile.time(of: piece.count, at: transfer.profile.download)
            try await transfer.wait(time, limit: transfer.request.options.timeouts.idle, .idle)
            return Data(piece)
        }
    }

    private let chunks: HTTPBodyChunks
    private let head: HTTPResponseHead
    private let transfer: ThrottledTransfer

    init(_ response: HTTPResponseStream, _ transfer: ThrottledTransfer) {
        (chunks, head, self.transfer) = (response.body, response.head, transfer)
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
