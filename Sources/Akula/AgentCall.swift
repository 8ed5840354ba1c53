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
        guard response.isSuccess else { throw AKError(response) }
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
            callData.options = options?.requestOptions
            // An agent's body is for the calls that take one and bring none.
            let takesBody = method.allowsBody && callData.body.isEmpty
            let agentData = try requestData.snapshot(withBody: takesBody)
            let request = try prepare(MergeRule.akula.merge(agentData, callData)).request(method, url)
            return AgentCall(transport: transport, request: request, onResponse: responseHandler(for: request))
        } catch {
            throw AKError(unsendable: error)
        }
    }

    /// Starts a call whose outcome goes to a delegate: success or failure, then done.
    func start(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?,
        _ delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        let call = Result { () throws(AKError) in try self.call(method, endpoint, data, options) }
        return deliver(to: delegate) { try await call.get().response() }
    }

    /// Starts work whose outcome goes to a delegate: success or failure, then done.
    func deliver(
        to delegate: (any AKHTTPResponseDelegate)?, _ work: @escaping @Sendable () async throws -> AKHTTPResponse
    ) -> AKCall {
        let receiver = ResponseReceiver(delegate)
        return CallHandle.start(delivery: delivery) {
            do {
                return CallOutcome(.success(try await work()), form: receiver.form)
            } catch {
                return CallOutcome(.failure(AKError(error)), form: receiver.form)
            }
        } completion: { outcome in
            if case .success(let outcome) = outcome { receiver.receive(outcome) }
        }
    }
}

/// Whoever a call reports to.
private struct ResponseReceiver: Sendable {
    let form: BodyForm
    private let reference: DelegateReference<any AKHTTPResponseDelegate>

    init(_ delegate: (any AKHTTPResponseDelegate)?) {
        if let handler = delegate as? AKHTTPResponseHandler {
            form = handler.form
            reference = DelegateReference { handler }
        } else {
            form = .raw
            reference = DelegateReference { [weak delegate] in delegate }
        }
    }

    func receive(_ outcome: CallOutcome) {
        guard let delegate = reference.delegate else { return }
        if let handler = delegate as? AKHTTPResponseHandler {
            handler.receive(outcome)
        } else {
            switch outcome.result {
            case .success(let response): delegate.responseDidSucceed(response, statusCode: response.statusCode)
            case .failure(let error): delegate.responseDidFail(error, response: error.response)
            }
        }
        delegate.responseDone()
    }
}
