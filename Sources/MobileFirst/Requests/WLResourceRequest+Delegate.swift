public import Delegation
public import Dispatch
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The vendor's send methods with a delegate of URLSession; see SessionDelegation. With a queue, its header has the
// delegate first and its Swift class the queue.

extension WLResourceRequest {
    /// Sends the request without a body.
    /// - Parameter responseQueue: where the delegate is called; default ``WLClient/delivery``.
    @discardableResult
    public func send(with delegate: any URLSessionDataDelegate, responseQueue: DispatchQueue! = nil) -> WLCall {
        start(.none, delegate, responseQueue)
    }

    /// ``send(with:responseQueue:)`` with the labels of the vendor's Swift class.
    @discardableResult
    public func send(responseQueue: DispatchQueue! = nil, withDelegate delegate: any URLSessionDataDelegate) -> WLCall {
        start(.none, delegate, responseQueue)
    }

    /// Sends a text; POST and PUT only, other methods send no body.
    /// - Parameter responseQueue: where the delegate is called; default ``WLClient/delivery``.
    @discardableResult
    public func send(
        withBody body: String!, delegate: any URLSessionDataDelegate, responseQueue: DispatchQueue! = nil
    ) -> WLCall {
        start(.text(body), delegate, responseQueue)
    }

    /// ``send(withBody:delegate:responseQueue:)`` in the order of the vendor's Swift class.
    @discardableResult
    public func send(
        withBody body: String!, responseQueue: DispatchQueue!, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.text(body), delegate, responseQueue)
    }

    /// Sends a form; POST and PUT only, other methods send no body.
    /// - Parameter responseQueue: where the delegate is called; default ``WLClient/delivery``.
    @discardableResult
    public func send(
        withFormParameters body: [AnyHashable: Any]!, delegate: any URLSessionDataDelegate,
        responseQueue: DispatchQueue! = nil
    ) -> WLCall {
        start(.form(body), delegate, responseQueue)
    }

    /// ``send(withFormParameters:delegate:responseQueue:)`` in the order of the vendor's Swift class.
    @discardableResult
    public func send(
        withFormParameters body: [AnyHashable: Any]!, responseQueue: DispatchQueue!,
        delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.form(body), delegate, responseQueue)
    }

    /// Sends a JSON object; POST and PUT only, other methods send no body.
    /// - Parameter responseQueue: where the delegate is called; default ``WLClient/delivery``.
    @discardableResult
    public func send(
        withJSON body: [AnyHashable: Any]!, delegate: any URLSessionDataDelegate, responseQueue: DispatchQueue! = nil
    ) -> WLCall {
        start(.json(body), delegate, responseQueue)
    }

    /// ``send(withJSON:delegate:responseQueue:)`` in the order of the vendor's Swift class.
    @discardableResult
    public func send(
        withJSON body: [AnyHashable: Any]!, responseQueue: DispatchQueue!, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.json(body), delegate, responseQueue)
    }

    /// Sends data; POST and PUT only, other methods send no body.
    /// - Parameter responseQueue: where the delegate is called; default ``WLClient/delivery``.
    @discardableResult
    public func send(
        withData body: Data!, delegate: any URLSessionDataDelegate, responseQueue: DispatchQueue! = nil
    ) -> WLCall {
        start(.data(body), delegate, responseQueue)
    }

    /// ``send(withData:delegate:responseQueue:)`` in the order of the vendor's Swift class.
    @discardableResult
    public func send(
        withData body: Data!, responseQueue: DispatchQueue!, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.data(body), delegate, responseQueue)
    }

    private func start(
        _ content: RequestContent, _ delegate: any URLSessionDataDelegate, _ queue: DispatchQueue?
    ) -> WLCall {
        client.start(Result { () throws(WLError) in try httpRequest(content) }, delegate: delegate, on: queue)
    }
}
