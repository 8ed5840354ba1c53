public import Foundation

/// Receives the events of a request.
///
/// Called on the session's delivery, by default the main queue. All methods have defaults that do what the vendor's
/// library does without the method. A delegate need not conform: objects with methods by selector are called too, see
/// `SelectorTarget`.
public protocol SDMHttpRequestDelegate: AnyObject {
    /// An attempt starts: the first one, and each one after a redirect, a challenge, a timeout or a lost connection.
    func requestStarted(_ request: SDMHttpRequest)
    /// The request has a response, with any status.
    func requestFinished(_ request: SDMHttpRequest)
    /// The request failed; see `request.error`.
    func requestFailed(_ request: SDMHttpRequest)
    /// The response is a redirect, which is followed next.
    func requestRedirected(_ request: SDMHttpRequest)
    /// The fields of a response have arrived, also those of redirects and challenges.
    func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String])
    /// Bytes of the response body have arrived. With an implementation, `responseData` stays empty.
    ///
    /// Default: ``request(_:didReceiveData:)``.
    func request(_ request: SDMHttpRequest, didReceive data: Data)
    /// ``request(_:didReceive:)`` with the full label. Default: the vendor's misspelt form.
    func request(_ request: SDMHttpRequest, didReceiveData data: Data)
    /// ``request(_:didReceive:)`` as the vendor's guide spells it. Default: keeps the bytes for `responseData`.
    func request(_ request: SDMHttpRequest, didRecieveData data: Data)
    /// Decides about a redirect: the request waits for ``SDMHttpRequest/redirect(to:)``. Default: follows it.
    func request(_ request: SDMHttpRequest, willRedirectTo url: URL)
    /// Asks for credentials: the request waits for ``SDMHttpRequest/retryUsingSuppliedCredentials()`` or
    /// ``SDMHttpRequest/cancelAuthentication()``. Default: cancels authentication. Not called in `startSynchronous()`.
    func authenticationNeeded(for request: SDMHttpRequest)
    /// Asks for the credentials of a proxy, as ``authenticationNeeded(for:)`` does. Default: cancels authentication.
    func proxyAuthenticationNeeded(for request: SDMHttpRequest)
}

extension SDMHttpRequestDelegate {
    /// Does nothing.
    public func requestStarted(_ request: SDMHttpRequest) {}
    /// Does nothing.
    public func requestFinished(_ request: SDMHttpRequest) {}
    /// Does nothing.
    public func requestFailed(_ request: SDMHttpRequest) {}
    /// Does nothing.
    public func requestRedirected(_ request: SDMHttpRequest) {}
    /// Does nothing.
    public func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String]) {}
    /// Calls the form with the full label.
    public func request(_ request: SDMHttpRequest, didReceive data: Data) {
        self.request(request, didReceiveData: data)
    }
    /// Calls the misspelt form.
    public func request(_ request: SDMHttpRequest, didReceiveData data: Data) {
        self.request(request, didRecieveData: data)
    }
    /// Keeps the bytes for `responseData`.
    public func request(_ request: SDMHttpRequest, didRecieveData data: Data) { request.keepReceivedData() }
    /// Follows the redirect.
    public func request(_ request: SDMHttpRequest, willRedirectTo url: URL) { request.redirect(to: url) }
    /// Cancels authentication.
    public func authenticationNeeded(for request: SDMHttpRequest) { request.cancelAuthentication() }
    /// Cancels authentication.
    public func proxyAuthenticationNeeded(for request: SDMHttpRequest) { request.cancelAuthentication() }
}
