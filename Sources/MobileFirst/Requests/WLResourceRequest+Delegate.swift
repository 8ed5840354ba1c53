public import Delegation
public import Dispatch
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The vendor's send methods with a delegate of URLSession; see SessionDelegation.

extension WLResourceRequest {
    /// Sends the request without a body; the delegate is called on ``WLClient/delivery``.
    @discardableResult
    public func send(with delegate: any URLSessionDataDelegate) -> WLCall {
        start(.none, delegate)
    }

    /// ``send(with:)`` with the label of the vendor's Swift class.
    @discardableResult
    public func send(withDelegate delegate: any URLSessionDataDelegate) -> WLCall {
        start(.none, delegate)
    }

    /// Sends the request without a body; the delegate is called on a queue.
    @discardableResult
    public func send(with delegate: any URLSessionDataDelegate, responseQueue: DispatchQueue) -> WLCall {
        start(.none, delegate, responseQueue)
    }

    /// ``send(with:responseQueue:)`` with the labels of the vendor's Swift class.
    @discardableResult
    public func send(responseQueue: DispatchQueue, withDelegate delegate: any URLSessionDataDelegate) -> WLCall {
        start(.none, delegate, responseQueue)
    }

    /// Sends a text; the delegate is called on ``WLClient/delivery``.
    @discardableResult
    public func send(withBody body: String, delegate: any URLSessionDataDelegate) -> WLCall {
        start(.text(body), delegate)
    }

    /// Sends a text; the delegate is called on a queue.
    @discardableResult
    public func send(withBody body: String, responseQueue: DispatchQueue, delegate: any URLSessionDataDelegate)
        -> WLCall
    {
        start(.text(body), delegate, responseQueue)
    }

    /// Sends a form; the delegate is called on ``WLClient/delivery``.
    @discardableResult
    public func send(withFormParameters body: [AnyHashable: Any], delegate: any URLSessionDataDelegate) -> WLCall {
        start(.form(body), delegate)
    }

    /// Sends a form; the delegate is called on a queue.
    @discardableResult
    public func send(
        withFormParameters body: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.form(body), delegate, responseQueue)
    }

    /// Sends a JSON object; the delegate is called on ``WLClient/delivery``.
    @discardableResult
    public func send(withJSON body: [AnyHashable: Any], delegate: any URLSessionDataDelegate) -> WLCall {
        start(.json(body), delegate)
    }

    /// Sends a JSON object; the delegate is called on a queue.
    @discardableResult
    public func send(
        withJSON body: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: any URLSessionDataDelegate
    ) -> WLCall {
        start(.json(body), delegate, responseQueue)
    }

    /// Sends data; the delegate is called on ``WLClient/delivery``.
    @discardableResult
    public func send(withData body: Data, delegate: any URLSessionDataDelegate) -> WLCall {
        start(.data(body), delegate)
    }

    /// Sends data; the delegate is called on a queue.
    @discardableResult
    public func send(withData body: Data, responseQueue: DispatchQueue, delegate: any URLSessionDataDelegate) -> WLCall
    {
        start(.data(body), delegate, responseQueue)
    }

    private func start(
        _ content: RequestContent, _ delegate: any URLSessionDataDelegate, _ queue: DispatchQueue? = nil
    ) -> WLCall {
        client.start(Result { () throws(WLError) in try httpRequest(content) }, delegate: delegate, on: queue)
    }
}
