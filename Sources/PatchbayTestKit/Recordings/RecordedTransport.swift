import Foundation
public import HTTPMessages
public import Transport

/// A layer that replays or records a ``Recording``.
///
/// Replayed responses behave as those of a `FakeTransport`: events, the size limit and cancellation are as over the
/// network. Streams have the pieces of the recording. In the modes `record` and `update` a request body that can be
/// read once is read before it is sent.
///
/// A request that is cancelled before its head is not recorded, nor are errors of other types than `TransportError`:
/// they are not of the network. Of a stream whose reader leaves, or is cancelled, what was read is recorded.
public struct RecordedTransport<Base: Transport>: Transport {
    /// The transport below.
    public let base: Base
    private let session: RecordingSession
    private let player: FakeTransport

    init(base: Base, session: RecordingSession) {
        self.base = base
        self.session = session
        player = FakeTransport { request in
            if !session.rules.comparesBody, let response = try session.response(to: request, body: nil) {
                return response
            }
            let body = try await RequestBodyCopy(request, session.rules, isNeeded: session.rules.comparesBody)
            if session.rules.comparesBody, let response = try session.response(to: request, body: body.bytes) {
                return response
            }
            throw session.unmatched(request, body: body.bytes)
        }
    }

    /// The exchanges that were recorded so far, without their secrets.
    public var recorded: [Recording.Exchange] { session.recorded }

    /// Writes the file: in the mode `record` all that was recorded, in the mode `update` what was added. The mode
    /// `replay` writes nothing.
    ///
    /// The file is replaced as a whole. Processes that update it at the same time keep what the others have added.
    /// - Throws: ``RecordingError`` (`secretFound`, `bodyTooLarge`, `unwritableFile`; `nothingRecorded` in the mode
    ///   `record`); the file is unchanged then.
    public func save() throws(RecordingError) { try session.save() }

    /// Checks that each exchange of the file was requested, except optional ones
    /// (``Recording/Exchange/isOptional``).
    /// - Throws: ``RecordingError`` (`unused`) with the requests that were not sent; errors of the file.
    public func verify() throws {
        let unused = try session.unused()
        guard !unused.isEmpty else { return }
        throw RecordingError(
            .unused,
            "\(unused.count) recorded exchanges were not requested: "
                + "\(unused.map { session.rules.text($0.request) }.joined(separator: ", ")); send them, or give those that "
                + "a test may leave out the member \"isOptional\": true.")
    }

    /// Replays or sends a request.
    /// - Throws: ``RecordingError`` (`noMatch`, `unreadableFile`, `malformed`, `unsupportedVersion`, `bodyTooLarge`);
    ///   the recorded `TransportError`; what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        if let includes = session.rules.includes, !includes(request) {
            return try await base.send(request, observer: observer)
        }
        if session.mode == .replay { return try await player.send(request, observer: observer) }
        let copy = try await RequestBodyCopy(request, session.rules, isNeeded: true)
        if session.mode == .update, let exchange = try session.take(request, body: copy.bytes)?.exchange {
            return try await FakeTransport { request in
                if let failure = exchange.failure(of: request) { throw failure }
                return HTTPResponse(
                    head: exchange.head ?? HTTPResponseHead(status: .ok, url: request.url), body: exchange.body)
            }
            .send(request, observer: observer)
        }
        let number = session.begin()
        do {
            let response = try await base.send(copy.sent, observer: observer)
            session.end(number, Recording.Exchange(copy.recorded, response), isTooLarge: copy.isTooLarge)
            return response
        } catch let error as TransportError where !error.isCancellation {
            session.end(number, Recording.Exchange(copy.recorded, error), isTooLarge: copy.isTooLarge)
            throw error
        }
    }
}

extension RecordedTransport: StreamingTransport where Base: StreamingTransport {
    /// Replays or sends a request, with the response body in pieces.
    /// - Throws: as ``send(_:observer:)``; the body throws the error that was recorded in it.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        if let includes = session.rules.includes, !includes(request) {
            return try await base.stream(request, observer: observer)
        }
        let copy = try await RequestBodyCopy(
            request, session.rules, isNeeded: session.mode != .replay || session.rules.comparesBody)
        if session.mode != .record {
            if let exchange = try session.take(request, body: copy.bytes)?.exchange {
                return try replayed(exchange, request, observer)
            }
            if session.mode == .replay { throw session.unmatched(request, body: copy.bytes) }
        }
        let number = session.begin()
        do {
            let response = try await base.stream(copy.sent, observer: observer)
            let body = ObservedBody(response.body, limit: session.rules.maximumBodyBytes) {
                [session] chunks, isCut, error in
                var exchange = Recording.Exchange(
                    copy.recorded, response.head, chunks: chunks, error: error as? TransportError)
                exchange.isPartial = error.map { $0.isCancellation || !($0 is TransportError) } ?? false
                if exchange.isPartial { exchange.error = nil }
                session.end(number, exchange, isTooLarge: isCut || copy.isTooLarge)
            }
            return HTTPResponseStream(head: response.head, body: body)
        } catch let error as TransportError where !error.isCancellation {
            var exchange = Recording.Exchange(copy.recorded, error)
            // No stream has begun: a replay throws too.
            exchange.head = nil
            exchange.chunks = []
            session.end(number, exchange, isTooLarge: copy.isTooLarge)
            throw error
        }
    }

    private func replayed(
        _ exchange: Recording.Exchange, _ request: HTTPRequest, _ observer: (any TransferObserver)?
    ) throws -> HTTPResponseStream {
        try request.fields.validate()
        try request.options.timeouts.validate()
        guard !Task.isCancelled else { throw TransportError.cancelled(request) }
        let failure = exchange.failure(of: request)
        guard let head = exchange.head else {
            throw failure ?? TransportError(.unknown, "The recording has no response.", request: request)
        }
        if let length = request.body.length, length > 0 {
            observer?.transfer(didEmit: .sentBytes(length, total: length))
        }
        observer?.transfer(didEmit: .head(head))
        return HTTPResponseStream(
            head: head,
            body: ReplayedBody(chunks: exchange.chunks, failure: failure, request: request, observer: observer))
    }
}
