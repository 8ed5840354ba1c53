import Delegation
import HTTPMessages
import RequestModel
import Transport

/// A prepared request, its transport and its response handler.
struct AgentCall<Base: Transport>: Sendable {
    let transport: Base
    let request: HTTPRequest
    let onResponse: (@Sendable (HTTPResponseHead) -> Void)?

    /// Sends the request.
    /// - Throws: ``AKError`` if there is no response, or its status is 300 or more.
    func response(_ observer: (any TransferObserver)? = nil) async throws(AKError) -> AKHTTPResponse {
        let response: AKHTTPResponse
        do {
            response = AKHTTPResponse(try await transport.send(request, observer: observer))
        } catch {
            // The body may fail after a 401.
            if let head = (error as? TransportError)?.head { onResponse?(head) }
            throw AKError(error)
        }
        onResponse?(response.httpResponse.head)
        guard response.isSuccess else { throw AKError(response, to: request) }
        return response
    }
}

extension HTTPAgent {
    /// Prepares a call from copies of the agent's and the caller's data.
    /// - Parameter body: replaces the body of both; default nil.
    /// - Throws: ``AKError`` (`configuration`, `invalidRequest`); an error of a subclass is wrapped in one.
    func call(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?,
        body: RequestBody? = nil
    ) throws(AKError) -> AgentCall<Base> {
        do {
            return try prepareCall {
                let url = try url(for: endpoint)
                var callData = try data?.snapshot(withBody: body == nil) ?? .empty
                if let body { callData.body = body }
                callData.options = try options?.requestOptions()
                // The agent's body is used only if the method allows a body and the call has none.
                let takesBody = method.allowsBody && callData.body.isEmpty
                let agentData = try requestData.snapshot(withBody: takesBody)
                // Headers and parameters are merged by name; the call takes precedence.
                var request = try prepare(MergeRule.byName.merge(agentData, callData)).request(method, url)
                request.nameUser { user(ofToken: $0) }
                return AgentCall(transport: transport, request: request, onResponse: willSend(request))
            }
        } catch {
            throw AKError(unsendable: error)
        }
    }

    /// Starts work and delivers its result once.
    func start<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        CallHandle.start(delivery: delivery, work) { result in completion(result.mapError { AKError($0) }) }
    }

    /// Starts work and delivers its result to a delegate: success or failure, then done.
    func start(
        delegate: (any AKHTTPResponseDelegate)?, _ work: @escaping @Sendable () async throws -> AKHTTPResponse
    ) -> AKCall {
        let format = (delegate as? AKHTTPResponseHandler)?.bodyFormat ?? .raw
        return start {
            do {
                return CallOutcome(.success(try await work()), format: format)
            } catch {
                return CallOutcome(.failure(AKError(error)), format: format)
            }
        } completion: { outcome in
            if case .success(let outcome) = outcome { delegate?.complete(with: outcome) }
        }
    }
}

extension HTTPRequest {
    /// Names the user of the session to caches and to downloads that resume, unless the app has named one.
    /// - Parameter user: the user of a session's token.
    fileprivate mutating func nameUser(_ user: (String) -> String) {
        guard options.cachePartition == nil, let token = fields[sessionHeader] else { return }
        // A session of all users does not hide a credential of one.
        let credential = fields[.authorization].map { CachePartition.credential($0).text }
        options.cachePartition = CachePartition([user(token), credential].compactMap(\.self).joined(separator: "\n"))
    }
}
