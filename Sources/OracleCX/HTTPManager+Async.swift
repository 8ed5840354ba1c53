public import HTTPMessages
import Queueing
public import ResponseDecoding
public import Transport

// Async methods, with and without decoding.

extension HTTPManager {
    /// Sends a request through the same queue as added requests. Cancelling the task cancels the request.
    /// - Parameter observer: receives the progress of the transfer; default ``ORARequest/observer``.
    /// - Returns: the response, with any status.
    /// - Throws: ``ORAError`` if there is no response.
    public func send(
        _ request: ORARequest, observer: (any TransferObserver)? = nil
    ) async throws(ORAError) -> HTTPResponse {
        try await perform(request.httpRequest(options), observer ?? request.observer)
    }

    /// Sends a request and decodes the response: `manager.send(request, as: .json(Item.self))`.
    /// - Parameter observer: receives the progress of the transfer; default ``ORARequest/observer``.
    /// - Throws: ``ORAError``, also for a status other than 2xx (`status`) and for an undecodable body (`parse`).
    public func send<Output>(
        _ request: ORARequest, observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(ORAError) -> Output {
        let observer = observer ?? request.observer
        let request = try request.httpRequest(options)
        let response = try await perform(request, observer)
        guard response.status.isSuccessful else { throw ORAError(unexpected: response, to: request) }
        do {
            return try decoder.decode(response)
        } catch {
            let reason = (error as? ResponseDecodingError)?.message ?? "See the underlying error."
            throw ORAError(
                .parse, "\(request): the body cannot be decoded: \(reason)", response: response, underlying: error)
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

    /// Sends a request through the layers, on behalf of all methods that return a whole response.
    func perform(
        _ request: HTTPRequest, _ observer: (any TransferObserver)?
    ) async throws(ORAError) -> HTTPResponse {
        background.handle(.requestAdded)
        defer { background.handle(.requestFinished) }
        do {
            return try await stack.send(request, observer: observer)
        } catch {
            throw ORAError(error)
        }
    }
}
