public import HTTPMessages
public import ResponseDecoding
import Transport

// The modern side: async/await, and decoded responses.

extension HTTPManager {
    /// Sends a request through the same queue as those that are added. Cancelling the task cancels it.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``ORAError`` when there is no response.
    public func send(_ request: ORARequest) async throws(ORAError) -> HTTPResponse {
        try await send(request.draft(options))
    }

    /// Sends a request and decodes the response: `manager.send(request, as: .json(Item.self))`.
    /// - Throws: ``ORAError``, also for a status other than 2xx (`status`) and for a body that cannot be decoded
    ///   (`parse`).
    public func send<Output>(
        _ request: ORARequest, as decoder: some ResponseDecoder<Output>
    ) async throws(ORAError) -> Output {
        let draft = try request.draft(options)
        let response = try await send(draft)
        guard response.status.isSuccessful else { throw ORAError(unexpected: response, to: draft.request) }
        do {
            return try decoder.decode(response)
        } catch {
            let reason = (error as? ResponseDecodingError)?.message ?? "The underlying error says why."
            throw ORAError(
                .parse, "\(draft.request): the body cannot be decoded: \(reason)", response: response,
                underlying: error)
        }
    }

    /// Adds a request and waits for its end, as Swift imports a method with a completion handler. Cancelling the task
    /// cancels the request.
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

    private func send(_ draft: ORADraft) async throws(ORAError) -> HTTPResponse {
        let request = draft.compresses ? try await compressed(draft) : draft.request
        background.tell(.requestAdded)
        defer { background.tell(.requestEnded) }
        do {
            return try await stack.send(request)
        } catch {
            throw ORAError(error)
        }
    }

    /// Compresses on the manager's executor: the caller may be the main actor.
    private func compressed(_ draft: ORADraft) async throws(ORAError) -> HTTPRequest {
        let result = await withTaskExecutorPreference(executor) {
            await Self.request(of: draft)
        }
        return try result.get()
    }

    @concurrent
    private static func request(of draft: ORADraft) async -> Result<HTTPRequest, ORAError> {
        Result { () throws(ORAError) in try draft.httpRequest() }
    }
}
