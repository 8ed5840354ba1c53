public import HTTPMessages
public import ResponseDecoding
import Transport

// Async methods, with and without decoding.

extension HTTPManager {
    /// Sends a request through the same queue as added requests. Cancelling the task cancels the request.
    /// - Returns: the response, with any status.
    /// - Throws: ``ORAError`` if there is no response.
    public func send(_ request: ORARequest) async throws(ORAError) -> HTTPResponse {
        try await send(request.prepared(options))
    }

    /// Sends a request and decodes the response: `manager.send(request, as: .json(Item.self))`.
    /// - Throws: ``ORAError``, also for a status other than 2xx (`status`) and for an undecodable body (`parse`).
    public func send<Output>(
        _ request: ORARequest, as decoder: some ResponseDecoder<Output>
    ) async throws(ORAError) -> Output {
        let prepared = try request.prepared(options)
        let response = try await send(prepared)
        guard response.status.isSuccessful else { throw ORAError(unexpected: response, to: prepared.request) }
        do {
            return try decoder.decode(response)
        } catch {
            let reason = (error as? ResponseDecodingError)?.message ?? "See the underlying error."
            throw ORAError(
                .parse, "\(prepared.request): the body cannot be decoded: \(reason)", response: response,
                underlying: error)
        }
    }

    /// The async form of ``addRequest(_:completionHandler:)``, as Swift imports it. Cancelling the task cancels the
    /// request.
    @discardableResult
    public func addRequest(_ request: ORARequest) async -> ORAResponse {
        let tag = request.requestTag
        do {
            return ORAResponse(.success(try await send(request)), requestTag: tag)
        } catch {
            return ORAResponse(.failure(error), requestTag: tag)
        }
    }

    /// ``addRequest(_:)`` under the name that Swift's importer derives from the Objective-C one.
    @discardableResult
    public func add(_ request: ORARequest) async -> ORAResponse { await addRequest(request) }

    private func send(_ prepared: PreparedRequest) async throws(ORAError) -> HTTPResponse {
        let request = prepared.needsCompression ? try await compressed(prepared) : prepared.request
        background.handle(.requestAdded)
        defer { background.handle(.requestFinished) }
        do {
            return try await stack.send(request)
        } catch {
            throw ORAError(error)
        }
    }

    /// Compresses on the manager's executor, because the caller may be on the main actor.
    private func compressed(_ prepared: PreparedRequest) async throws(ORAError) -> HTTPRequest {
        let result = await withTaskExecutorPreference(executor) {
            await Self.request(for: prepared)
        }
        return try result.get()
    }

    @concurrent
    private static func request(for prepared: PreparedRequest) async -> Result<HTTPRequest, ORAError> {
        Result { () throws(ORAError) in try prepared.httpRequest() }
    }
}
