import Foundation
import HTTPMessages
import Transport

/// One request and its response without a network: what every transport of this module has in common.
struct InProcessExchange {
    let request: HTTPRequest
    let observer: (any TransferObserver)?

    /// Sends the body to nobody, gets the answer and reports both.
    /// - Parameters:
    ///   - willAnswer: gets the request as it would arrive, its body in memory.
    ///   - answer: is given up when the task is cancelled, whether it heeds that or not.
    func send(
        willAnswer: (HTTPRequest) -> Void = { _ in },
        answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response = try await begin(willAnswer: willAnswer, answer: answer)
        guard response.body.count <= request.options.maximumResponseBytes else {
            throw TransportError.responseTooLarge(
                limit: request.options.maximumResponseBytes, request: request, head: response.head,
                bodyPrefix: response.body)
        }
        if !response.body.isEmpty {
            let length = Int64(response.body.count)
            observer?.transfer(didReach: .received(length, of: length))
        }
        return response
    }

    /// The same, with the answer's body piece by piece.
    func stream(
        willAnswer: (HTTPRequest) -> Void = { _ in },
        answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponseStream {
        let response = try await begin(willAnswer: willAnswer, answer: answer)
        return HTTPResponseStream(
            head: response.head, body: BufferedBody(response.body, of: request, observer: observer))
    }

    private func begin(
        willAnswer: (HTTPRequest) -> Void, answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        try request.options.timeouts.validate()
        let received = try await promptly { try await arrival() }
        if !request.body.isEmpty, let length = received.body.length {
            observer?.transfer(didReach: .sent(length, of: request.body.length))
        }
        willAnswer(received)
        var response = try await promptly { try await answer(received) }
        response.head.method = response.head.method ?? request.method
        observer?.transfer(didReach: .head(response.head))
        return response
    }

    private func arrival() async throws -> HTTPRequest {
        if request.body.isEmpty { return request }
        let body: Data
        do {
            body = try await request.body.collect(upTo: .max)
        } catch {
            throw TransportError(
                .unreadableBody, "The body could not be read to its end.", request: request, underlying: error)
        }
        if let length = request.body.length, length != Int64(body.count) {
            throw TransportError(
                .unreadableBody, "The body has \(body.count) bytes and says that it has \(length).", request: request)
        }
        var received = request
        try received.setBody(.bytes(body))
        return received
    }

    private func promptly<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let cancelled = TransportError(.cancelled, "The call was cancelled.", request: request)
        guard !Task.isCancelled else { throw cancelled }
        let outcome = Watched<Swift.Result<Result, any Error>?>(nil)
        let work = Task {
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
        // What ended because of the cancellation may say so in its own words.
        guard let result, !Task.isCancelled else { throw cancelled }
        return try result.get()
    }
}
