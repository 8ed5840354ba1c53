public import Foundation

/// The methods of ``SDMHttpRequestDelegate`` with implicitly unwrapped parameters, as Swift imported the vendor's
/// header.
///
/// The defaults of ``SDMHttpRequestDelegate`` call them, so a delegate may have either form. A method with another mix
/// of types, or with optional parameters (`?`), compiles, and is not called.
public protocol SDMUnwrappedRequestDelegate: AnyObject {
    /// ``SDMHttpRequestDelegate/requestStarted(_:)``
    func requestStarted(_ request: SDMHttpRequest!)
    /// ``SDMHttpRequestDelegate/requestFinished(_:)``
    func requestFinished(_ request: SDMHttpRequest!)
    /// ``SDMHttpRequestDelegate/requestFailed(_:)``
    func requestFailed(_ request: SDMHttpRequest!)
    /// ``SDMHttpRequestDelegate/requestRedirected(_:)``
    func requestRedirected(_ request: SDMHttpRequest!)
    /// ``SDMHttpRequestDelegate/request(_:didReceive:)``
    func request(_ request: SDMHttpRequest!, didReceive data: Data!)
    /// ``SDMHttpRequestDelegate/authenticationNeeded(for:)``
    func authenticationNeeded(for request: SDMHttpRequest!)
    /// ``SDMHttpRequestDelegate/proxyAuthenticationNeeded(for:)``
    func proxyAuthenticationNeeded(for request: SDMHttpRequest!)
}

extension SDMUnwrappedRequestDelegate {
    /// Does nothing.
    public func requestStarted(_ request: SDMHttpRequest!) {}
    /// Does nothing.
    public func requestFinished(_ request: SDMHttpRequest!) {}
    /// Does nothing.
    public func requestFailed(_ request: SDMHttpRequest!) {}
    /// Does nothing.
    public func requestRedirected(_ request: SDMHttpRequest!) {}
    /// Keeps the bytes for `responseData`.
    public func request(_ request: SDMHttpRequest!, didReceive data: Data!) { request?.keepReceivedData() }
    /// Cancels authentication of this request.
    public func authenticationNeeded(for request: SDMHttpRequest!) { request?.leaveAuthentication() }
    /// Cancels authentication of this request.
    public func proxyAuthenticationNeeded(for request: SDMHttpRequest!) { request?.leaveAuthentication() }
}
