public import Delegation
public import Dispatch
public import Foundation

// The vendor's send methods with a completion handler: `completionHandler:` as Swift imports them, `onCompletion:` as
// in the vendor's Swift class. A trailing closure fits both labels, so one of each pair is disfavored; it does the
// same.
//
// A handler that is called on a queue of its own is `@Sendable`: in Swift 6, the compiler then takes it for no code of
// the main actor.

/// A completion handler: a response without an error for a status 2xx; otherwise an error, and a ``WLFailResponse``,
/// whose status is 0 if no response was received. Called exactly once.
public typealias WLCompletionHandler = (WLResponse?, (any Error)?) -> Void

/// A ``WLCompletionHandler`` that is called on a given queue.
public typealias WLQueueCompletionHandler = @Sendable (WLResponse?, (any Error)?) -> Void

/// A started call, which can be cancelled. The vendor's methods returned nothing.
public typealias WLCall = CallHandle

extension WLResourceRequest {
    /// Sends the request without a body. The handler is called on ``WLClient/delivery``, by default the main queue.
    @discardableResult
    public func send(completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.none, nil, completionHandler)
    }

    /// ``send(completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(onCompletion: @escaping WLCompletionHandler) -> WLCall { start(.none, nil, onCompletion) }

    /// Sends the request without a body.
    /// - Parameter queue: where the handler is called; nil is ``WLClient/delivery``.
    @discardableResult @preconcurrency
    public func send(_ queue: DispatchQueue!, completionHandler: @escaping WLQueueCompletionHandler) -> WLCall {
        start(.none, queue, completionHandler)
    }

    /// ``send(_:completionHandler:)`` with the labels of the vendor's Swift class.
    @discardableResult @preconcurrency
    public func send(withQueue queue: DispatchQueue!, onCompletion: @escaping WLQueueCompletionHandler) -> WLCall {
        start(.none, queue, onCompletion)
    }

    /// Sends a text, `text/plain`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withBody body: String!, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.text(body), nil, completionHandler)
    }

    /// ``send(withBody:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withBody body: String!, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.text(body), nil, onCompletion)
    }

    /// ``send(withBody:completionHandler:)`` with a queue on which the handler is called; nil is ``WLClient/delivery``.
    @discardableResult @preconcurrency
    public func send(
        withBody body: String!, responseQueue: DispatchQueue!, completionHandler: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.text(body), responseQueue, completionHandler)
    }

    /// ``send(withBody:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @preconcurrency @_disfavoredOverload
    public func send(
        withBody body: String!, responseQueue: DispatchQueue!, onCompletion: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.text(body), responseQueue, onCompletion)
    }

    /// Sends a form, always `application/x-www-form-urlencoded`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withFormParameters body: [AnyHashable: Any]!, completionHandler: @escaping WLCompletionHandler)
        -> WLCall
    {
        start(.form(body), nil, completionHandler)
    }

    /// ``send(withFormParameters:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withFormParameters body: [AnyHashable: Any]!, onCompletion: @escaping WLCompletionHandler)
        -> WLCall
    {
        start(.form(body), nil, onCompletion)
    }

    /// ``send(withFormParameters:completionHandler:)`` with a queue on which the handler is called; nil is
    /// ``WLClient/delivery``.
    @discardableResult @preconcurrency
    public func send(
        withFormParameters body: [AnyHashable: Any]!, responseQueue: DispatchQueue!,
        completionHandler: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.form(body), responseQueue, completionHandler)
    }

    /// ``send(withFormParameters:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @preconcurrency @_disfavoredOverload
    public func send(
        withFormParameters body: [AnyHashable: Any]!, responseQueue: DispatchQueue!,
        onCompletion: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.form(body), responseQueue, onCompletion)
    }

    /// Sends a JSON object, `application/json`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withJSON body: [AnyHashable: Any]!, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.json(body), nil, completionHandler)
    }

    /// ``send(withJSON:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withJSON body: [AnyHashable: Any]!, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.json(body), nil, onCompletion)
    }

    /// ``send(withJSON:completionHandler:)`` with a queue on which the handler is called; nil is ``WLClient/delivery``.
    @discardableResult @preconcurrency
    public func send(
        withJSON body: [AnyHashable: Any]!, responseQueue: DispatchQueue!,
        completionHandler: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.json(body), responseQueue, completionHandler)
    }

    /// ``send(withJSON:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @preconcurrency @_disfavoredOverload
    public func send(
        withJSON body: [AnyHashable: Any]!, responseQueue: DispatchQueue!,
        onCompletion: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.json(body), responseQueue, onCompletion)
    }

    /// Sends data, `application/octet-stream`; POST and PUT only, other methods send no body.
    @discardableResult
    public func send(withData body: Data!, completionHandler: @escaping WLCompletionHandler) -> WLCall {
        start(.data(body), nil, completionHandler)
    }

    /// ``send(withData:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @_disfavoredOverload
    public func send(withData body: Data!, onCompletion: @escaping WLCompletionHandler) -> WLCall {
        start(.data(body), nil, onCompletion)
    }

    /// ``send(withData:completionHandler:)`` with a queue on which the handler is called; nil is ``WLClient/delivery``.
    @discardableResult @preconcurrency
    public func send(
        withData body: Data!, responseQueue: DispatchQueue!, completionHandler: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.data(body), responseQueue, completionHandler)
    }

    /// ``send(withData:responseQueue:completionHandler:)`` with the label of the vendor's Swift class.
    @discardableResult @preconcurrency @_disfavoredOverload
    public func send(
        withData body: Data!, responseQueue: DispatchQueue!, onCompletion: @escaping WLQueueCompletionHandler
    ) -> WLCall {
        start(.data(body), responseQueue, onCompletion)
    }

    /// Starts a call with one completion.
    private func start(
        _ content: RequestContent, _ queue: DispatchQueue?, _ completion: @escaping WLCompletionHandler
    ) -> WLCall {
        let request = Result { () throws(WLError) in try httpRequest(content) }
        return client.start(on: queue.map { .queue($0) }) { [client] in
            try await client.perform(request.get())
        } completion: { result in
            switch result {
            case .success(let response): completion(response, nil)
            case .failure(let error): completion(WLFailResponse(error), error)
            }
        }
    }
}
