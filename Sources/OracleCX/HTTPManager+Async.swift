public import HTTPMessages
public import ResponseDecoding
import Transport

// The modern side: with async/await, and decoded.

extension HTTPManager {
    /// Sends a request when its turn has come, in one queue with those that are added. Cancelling the task cancels it.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``ORAError`` when no answer came.
    public func send(_ request: ORARequest) async throws(ORAError) -> HTTPResponse {
        let draft = try request.draft()
        let message = draft.compresses ? try await compressed(draft) : draft.request
        background.tell(.requestAdded)
        defer { background.tell(.requestEnded) }
        do {
            return try await stack.send(message)
        } catch {
            throw ORAError(error)
        }
    }

    /// Compresses beside the caller, which may be the main actor.
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

    /// Sends a request and decodes the answer: `manager.send(request, as: .json(Item.self))`.
    /// - Throws: ``ORAError``, also when the status is not 2xx or the body cannot be decoded.
    public func send<Output>(
        _ request: ORARequest, as decoder: some ResponseDecoder<Output>
    ) async throws(ORAError) -> Output {
        let answer = try await send(request)
        guard answer.status.isSuccessful else {
            throw ORAError(.status, "The server answered \(answer.status).", response: answer)
        }
        do {
            return try decoder.decode(answer)
        } catch {
            let reason = (error as? ResponseDecodingError)?.description ?? "The underlying error says why."
            throw ORAError(.parse, "The answer cannot be read. \(reason)", response: answer, underlying: error)
        }
    }
}
