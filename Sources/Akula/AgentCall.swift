import Delegation
import HTTPMessages
import RequestModel
import Transport

/// One call: a request made of what was given to it, ready to be sent.
struct AgentCall<Base: Transport>: Sendable {
    let transport: Base
    let request: HTTPRequest
    let onResponse: (@Sendable (AKHTTPResponse) -> Void)?

    /// Sends the request.
    /// - Throws: ``AKError`` for everything but a response whose status is below 300.
    func response() async throws(AKError) -> AKHTTPResponse {
        let response: AKHTTPResponse
        do {
            response = AKHTTPResponse(try await transport.send(request, observer: nil))
        } catch {
            throw AKError(error)
        }
        onResponse?(response)
        guard response.isSuccess else { throw AKError(response, to: request) }
        return response
    }
}

extension HTTPAgent {
    /// Makes a call of what it is given; the agent's and the caller's data can be changed right after.
    /// - Throws: ``AKError`` (`configuration`, `invalidRequest`), or what a subclass throws, as one.
    func call(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?
    ) throws(AKError) -> AgentCall<Base> {
        do {
            let url = try url(for: endpoint)
            var callData = try data?.snapshot() ?? .empty
            callData.options = try options?.requestOptions()
            // An agent's body is for the calls that take one and bring none.
            let takesBody = method.allowsBody && callData.body.isEmpty
            let agentData = try requestData.snapshot(withBody: takesBody)
            let request = try prepare(MergeRule.akula.merge(agentData, callData)).request(method, url)
            return AgentCall(transport: transport, request: request, onResponse: responseHandler(for: request))
        } catch {
            throw AKError(unsendable: error)
        }
    }

    /// Starts work and delivers its result once. `completion` is kept until then, and not longer.
    func start<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        let completion = PendingCallback(completion)
        return CallHandle.start(delivery: delivery, work) { result in
            completion.take()?(result.mapError { AKError($0) })
        }
    }

    /// Starts work and delivers its result to a delegate: success or failure, then done.
    func start(
        delegate: (any AKHTTPResponseDelegate)?, _ work: @escaping @Sendable () async throws -> AKHTTPResponse
    ) -> AKCall {
        let form = (delegate as? AKHTTPResponseHandler)?.form ?? .raw
        return start {
            do {
                return CallOutcome(.success(try await work()), form: form)
            } catch {
                return CallOutcome(.failure(AKError(error)), form: form)
            }
        } completion: { outcome in
            if case .success(let outcome) = outcome { delegate?.complete(with: outcome) }
        }
    }
}
