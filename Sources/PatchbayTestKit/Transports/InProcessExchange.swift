import Coordination
import Dispatch
import Foundation
import HTTPMessages
import Transport

/// One in-process request and its response: the common part of this module's transports.
struct InProcessExchange {
    let request: HTTPRequest
    let observer: (any TransferObserver)?

    /// Reads the request body, gets the response, and reports the transfer events of both.
    /// - Parameters:
    ///   - willRespond: called with the request as a server receives it, its body in memory.
    ///   - respond: abandoned when the task is cancelled, even if it ignores cancellation.
    func send(
        willRespond: (HTTPRequest) -> Void = { _ in },
        respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response = try await begin(isStream: false, willRespond: willRespond, respond: respond)
        guard response.body.count <= request.options.maximumResponseBytes else {
            throw TransportError.responseTooLarge(
                limit: request.options.maximumResponseBytes, request: request, head: response.head,
                bodyPrefix: response.body)
        }
        if !response.body.isEmpty {
            let length = Int64(response.body.count)
            observer?.transfer(didEmit: .receivedBytes(length, total: length))
        }
        return response
    }

    /// Like ``send(willRespond:respond:)``, with the response body in chunks.
    func stream(
        willRespond: (HTTPRequest) -> Void = { _ in },
        respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponseStream {
        do {
            let response = try await begin(isStream: true, willRespond: willRespond, respond: respond)
            return HTTPResponseStream(
                head: response.head, body: BufferedResponseBody(response.body, of: request, observer: observer))
        } catch let faulty as FaultyResponse {
            let response = faulty.stream(for: request, observer: observer)
            observer?.transfer(didEmit: .head(response.head))
            return response
        }
    }

    private func begin(
        isStream: Bool, willRespond: (HTTPRequest) -> Void,
        respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        try request.fields.validate()
        try request.options.timeouts.validate()
        let received = try await cancellable { try await requestWithBodyInMemory() }
        if !request.body.isEmpty, let length = received.body.length {
            observer?.transfer(didEmit: .sentBytes(length, total: request.body.length))
        }
        willRespond(received)
        var response = try await cancellable {
            try await FaultyResponse.$isAccepted.withValue(isStream) { try await respond(received) }
        }
        response.head.method = response.head.method ?? request.method
        observer?.transfer(didEmit: .head(response.head))
        return response
    }

    private func requestWithBodyInMemory() async throws -> HTTPRequest {
        if request.body.isEmpty { return request }
        let body: Data
        do {
            body = try await request.body.collect(upTo: .max)
        } catch {
            throw TransportError(
                .unreadableBody, TransportError.unreadableBodyMessage(error), request: request, underlying: error)
        }
        if let length = request.body.length, length != Int64(body.count) {
            throw TransportError(
                .unreadableBody, "The request body has \(body.count) bytes, but its declared length is \(length).",
                request: request)
        }
        var received = request
        try received.setBody(.bytes(body))
        return received
    }

    /// Runs an operation that ends at once when the task is cancelled.
    private func cancellable<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let cancelled = TransportError(.cancelled, "The call was cancelled.", request: request)
        guard !Task.isCancelled else { throw cancelled }
        let outcome = Watched<Swift.Result<Result, any Error>?>(nil)
        let work = Task(executorPreference: WorkerThreads.calls) {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            outcome.update { $0 = result }
        }
        let result: Swift.Result<Result, any Error>?
        do {
            result = try await outcome.wait { $0 != nil }
        } catch {
            work.cancel()
            throw cancelled
        }
        // A cancelled operation may throw an error of its own, which is replaced.
        guard let result, !Task.isCancelled else { throw cancelled }
        return try result.get()
    }
}
