public import Delegation
public import Dispatch
public import Foundation

// The vendor's send methods with a completion handler. A trailing closure fits both labels, so one of each pair is
// disfavored; it does the same.

/// A completion handler: a response without an error for a status 2xx; otherwise an error, and a ``WLFailResponse``, whose
/// status is 0 if no response was received. Called exactly once.
public typealias WLCompletionHandler = (WLResponse?, (any Error)?) -> Void

/// A started call, which can be cancelled. The vendor's methods returned nothing.
public typealias WLCall = CallHandle

extension WLResourceRequest {
    /// Sends the request without a body; the handler is called on ``WLClient/delivery``, by default the main queue.
    @discardableResult
    public func send(completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.none, completion: completionHandler)
    }

    /// ``send(completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.none, completion: onCompletion)
    }

    /// Sends the request without a body; the handler is called on a queue.
    @discardableResult
    public func send(_ queue: DispatchQueue, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.none, delivery: .queue(queue), completion: completionHandler)
    }

    /// ``send(_:completionHandler:)`` with the labels of the vendor's Swift class.
    @discardableResult
    public func send(withQueue queue: DispatchQueue, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.none, delivery: .queue(queue), completion: onCompletion)
    }

    /// Sends a text, `text/plain`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withBody body: String, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.text(body), completion: completionHandler)
    }

    /// ``send(withBody:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withBody body: String, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.text(body), completion: onCompletion)
    }

    /// Sends a text, `text/plain`; the handler is called on a queue.
    @discardableResult
    public func send(
        withBody body: String, responseQueue: DispatchQueue, completionHandler: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.text(body), delivery: .queue(responseQueue), completion: completionHandler)
    }

    /// ``send(withBody:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withBody body: String, responseQueue: DispatchQueue, onCompletion: @escaping WLCompletionHandler)
        -> WLCall
    {
        start(.text(body), delivery: .queue(responseQueue), completion: onCompletion)
    }

    /// Sends a form, always `application/x-www-form-urlencoded`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withFormParameters body: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler)
        -> WLCall
    {
        start(.form(body), completion: completionHandler)
    }

    /// ``send(withFormParameters:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withFormParameters body: [AnyHashable: Any], onCompletion: @escaping WLCompletionHandler) -> WLCall
    {
        start(.form(body), completion: onCompletion)
    }

    /// Sends a form, always `application/x-www-form-urlencoded`; the handler is called on a queue.
    @discardableResult
    public func send(
        withFormParameters body: [AnyHashable: Any], responseQueue: DispatchQueue,
        completionHandler: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.form(body), delivery: .queue(responseQueue), completion: completionHandler)
    }

    /// ``send(withFormParameters:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(
        withFormParameters body: [AnyHashable: Any], responseQueue: DispatchQueue,
        onCompletion: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.form(body), delivery: .queue(responseQueue), completion: onCompletion)
    }

    /// Sends a JSON object, `application/json`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withJSON body: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.json(body), completion: completionHandler)
    }

    /// ``send(withJSON:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withJSON body: [AnyHashable: Any], onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.json(body), completion: onCompletion)
    }

    /// Sends a JSON object, `application/json`; the handler is called on a queue.
    @discardableResult
    public func send(
        withJSON body: [AnyHashable: Any], responseQueue: DispatchQueue,
        completionHandler: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.json(body), delivery: .queue(responseQueue), completion: completionHandler)
    }

    /// ``send(withJSON:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(
        withJSON body: [AnyHashable: Any], responseQueue: DispatchQueue, onCompletion: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.json(body), delivery: .queue(responseQueue), completion: onCompletion)
    }

    /// Sends data, `application/octet-stream`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withData body: Data, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.data(body), completion: completionHandler)
    }

    /// ``send(withData:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withData body: Data, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.data(body), completion: onCompletion)
    }

    /// Sends data, `application/octet-stream`; the handler is called on a queue.
    @discardableResult
    public func send(
        withData body: Data, responseQueue: DispatchQueue, completionHandler: @escaping WLCompletionHandler
    ) -> WLCall {
        start(.data(body), delivery: .queue(responseQueue), completion: completionHandler)
    }

    /// ``send(withData:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withData body: Data, responseQueue: DispatchQueue, onCompletion: @escaping WLCompletionHandler)
        -> WLCall
    {
        start(.data(body), delivery: .queue(responseQueue), completion: onCompletion)
    }

    /// Starts a call with one completion.
    private func start(
        _ content: RequestContent, delivery: Delivery? = nil, completion: @escaping WLCompletionHandler
    ) -> WLCall {
        let request = Result { () throws(WLError) in try httpRequest(content) }
        return client.start(on: delivery) { [client] in
            try await client.perform(request.get())
        } completion: { result in
            switch result {
            case .success(let response): completion(response, nil)
            case .failure(let error): completion(WLFailResponse(error), error)
            }
        }
    }
}
