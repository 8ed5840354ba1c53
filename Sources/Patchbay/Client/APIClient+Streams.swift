import Foundation
public import HTTPMessages
public import JSON
import Queueing
public import RequestModel
public import ResponseDecoding
public import Transport

extension APIClient {
    /// Makes a call and returns when the head has arrived; the body is read as it arrives, without a limit.
    ///
    /// ```swift
    /// let stream = try await client.stream(.get("export"))
    /// for try await record in stream.body.ndjson(as: Record.self) { show(record) }
    /// ```
    /// - Parameter observer: receives progress events until the end of the body.
    /// - Throws: as `send(_:observer:)`, before the body.
    public func stream(
        _ endpoint: EndpointRequest<HTTPResponseStream>, observer: (any TransferObserver)? = nil
    ) async throws -> HTTPResponseStream {
        try await stream(request(for: endpoint, accept: nil), observer: observer)
    }

    /// Gets a text line by line, as it arrives.
    /// - Parameter maximumLength: the most bytes of a line; default 1 MiB.
    /// - Throws: as `send(_:observer:)`; the sequence throws `StreamDecodingError`.
    public func lines(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        maximumLength: Int = LineParser.defaultMaximumLength
    ) async throws -> ParsedSequence<HTTPBodyChunks, LineParser> {
        let stream = try await stream(.get(path, query: query, fields: fields))
        return stream.body.lines(maximumLength: maximumLength).naming(stream.head)
    }

    /// Gets records of newline-delimited JSON, as they arrive.
    /// - Throws: as `send(_:observer:)`; the sequence throws `StreamDecodingError`.
    public func records<Value: Decodable & Sendable>(
        _ path: RequestPath, of type: Value.Type, query: Query = [:], fields: HTTPFields = [:]
    ) async throws -> ParsedSequence<HTTPBodyChunks, NDJSONParser<Value>> {
        let stream = try await stream(.get(path, query: query, fields: fields))
        return json.records(type, in: stream.body).naming(stream.head)
    }

    /// Gets the elements of a JSON array, as they arrive: a long list in one response.
    /// - Parameters:
    ///   - type: the type of an element.
    ///   - members: the names of the members that lead to the array, separated by dots; empty for the whole body.
    ///   - coding: strategies for dates, names and others; nil means those of ``json``, or the standard ones if it uses
    ///     Foundation's coders, which cannot read elements.
    /// - Throws: as `send(_:observer:)`; the sequence throws `StreamDecodingError`.
    public func elements<Value: Decodable & Sendable>(
        _ path: RequestPath, of type: Value.Type, at members: String = "", query: Query = [:],
        fields: HTTPFields = [:], coding: JSONCoding? = nil
    ) async throws -> ParsedSequence<HTTPBodyChunks, JSONItemParser<Value>> {
        try await stream(.get(path, query: query, fields: fields))
            .items(of: type, at: members, coding: coding ?? json.coding ?? .standard)
    }

    /// Receives server-sent events, and connects again when the connection is lost.
    ///
    /// Nothing is sent until the sequence is read. The idle timeout of the client must be longer than the longest
    /// silence; the total timeout is that of each connection. A connection holds its slot of a queue until the head has
    /// arrived.
    /// - Throws: `HTTPMessageError`; the sequence throws `EventSourceError`, also for a status: ``errors`` is not used.
    public func events(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        policy: ReconnectionPolicy = ReconnectionPolicy()
    ) throws -> EventSource {
        let endpoint = EndpointRequest<Void>.get(path, query: query, fields: fields)
        let transport = transport
        var request = try request(for: endpoint, accept: nil)
        request.options.releasesSlotAtHead = true
        return EventSource(request, policy: policy) { try await transport.stream($0) }
    }

    /// Streams a response, and throws the error of a status or media type that is not accepted.
    /// - Parameter others: statuses that are accepted as well, with any media type.
    func stream(
        _ request: HTTPRequest, accepting others: [HTTPStatus] = [], observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let response = try await transport.stream(request, observer: observer)
        guard validation.statuses.contains(response.status.code) || others.contains(response.status) else {
            let start = (try? await response.start(maximumErrorBytes)) ?? Data()
            // The body may have ended because of that.
            if Task.isCancelled { throw TransportError.cancelled(request, head: response.head) }
            throw error(of: request, response.head, start)
        }
        let hasBody = response.status != .noContent && request.method != .head && response.fields[.contentLength] != "0"
        let types = validation.mediaTypes
        let isChecked = hasBody && !types.isEmpty && !others.contains(response.status)
        guard isChecked, !types.contains(where: { response.mediaType?.matches($0) ?? false }) else {
            return response
        }
        // An empty body has no media type to check; any other one is an error, also one that fails at once.
        let start: Data
        do {
            start = try await response.start(1024)
            try Task.checkCancellation()
        } catch {
            throw Task.isCancelled ? TransportError.cancelled(request, head: response.head) : error
        }
        try ResponseValidation(statuses: RangeSet(0..<1000), mediaTypes: types)
            .validate(HTTPResponse(head: response.head, body: start))
        return HTTPResponseStream(head: response.head, body: AsyncStream<Data> { $0.finish() })
    }
}

extension HTTPResponseStream {
    /// The start of the body; what arrived before a failure if it cannot be read to there.
    /// - Throws: the failure, if nothing arrived before it.
    fileprivate func start(_ limit: Int) async throws -> Data {
        var (start, chunks) = (Data(), body.makeAsyncIterator())
        do {
            while start.count < limit, let chunk = try await chunks.next() {
                start.append(chunk.prefix(limit - start.count))
            }
        } catch {
            guard !start.isEmpty else { throw error }
        }
        return start
    }
}
