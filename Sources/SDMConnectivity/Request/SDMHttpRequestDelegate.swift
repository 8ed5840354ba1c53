public import Foundation

/// Receives the events of a request.
///
/// Called on the session's delivery, by default the main queue. All methods have defaults that do what the vendor's
/// library does without the method. A delegate need not conform: objects with methods by selector are called too, see
/// `SelectorTarget`.
public protocol SDMHttpRequestDelegate: SDMUnwrappedRequestDelegate {
    /// An attempt starts: the first one, and each one after a redirect, a challenge, a timeout or a lost connection.
    func requestStarted(_ request: SDMHttpRequest)
    /// The request has a response, with any status.
    func requestFinished(_ request: SDMHttpRequest)
    /// The request failed; see `request.error`.
    func requestFailed(_ request: SDMHttpRequest)
    /// The response is a redirect, which is followed next.
    func requestRedirected(_ request: SDMHttpRequest)
    /// The fields of a response have arrived, also those of redirects and challenges.
    ///
    /// Default: the form with a dictionary.
    func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: SDMResponseHeaders)
    /// The fields of a response have arrived, as a dictionary, in which names have one spelling.
    func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String])
    /// Bytes of the response body have arrived. With an implementation, `responseData` stays empty.
    ///
    /// A cached response comes in one piece. It does not replace a response of which the delegate has got bytes: that
    /// request fails, also with ``SDMCachePolicy/useCacheIfLoadFails``.
    ///
    /// Default: ``request(_:didReceiveData:)``.
    func request(_ request: SDMHttpRequest, didReceive data: Data)
    /// ``request(_:didReceive:)`` with the full label. Default: the vendor's misspelled form.
    func request(_ request: SDMHttpRequest, didReceiveData data: Data)
    /// ``request(_:didReceive:)`` as the vendor's guide spells it. Default: keeps the bytes for `responseData`.
    func request(_ request: SDMHttpRequest, didRecieveData data: Data)
    /// Decides about a redirect: the request waits for ``SDMHttpRequest/redirect(to:)``. Default: follows it.
    func request(_ request: SDMHttpRequest, willRedirectTo url: URL)
    /// Asks for credentials: the request waits for ``SDMHttpRequest/retryUsingSuppliedCredentials()`` or
    /// ``SDMHttpRequest/cancelAuthentication()``. Default: cancels authentication. Not called in `startSynchronous()`.
    func authenticationNeeded(for request: SDMHttpRequest)
    /// ``authenticationNeeded(for:)`` under the vendor's selector. Default: cancels authentication.
    func authenticationNeededForRequest(_ request: SDMHttpRequest)
    /// Asks for the credentials of a proxy, as ``authenticationNeeded(for:)`` does. Default: cancels authentication.
    func proxyAuthenticationNeeded(for request: SDMHttpRequest)
    /// ``proxyAuthenticationNeeded(for:)`` under the vendor's selector. Default: cancels authentication.
    func proxyAuthenticationNeededForRequest(_ request: SDMHttpRequest)
}

extension SDMHttpRequestDelegate {
    /// Calls the form with an unwrapped parameter.
    public func requestStarted(_ request: SDMHttpRequest) { requestStarted(Optional(request)) }
    /// Calls the form with an unwrapped parameter.
    public func requestFinished(_ request: SDMHttpRequest) { requestFinished(Optional(request)) }
    /// Calls the form with an unwrapped parameter.
    public func requestFailed(_ request: SDMHttpRequest) { requestFailed(Optional(request)) }
    /// Calls the form with an unwrapped parameter.
    public func requestRedirected(_ request: SDMHttpRequest) { requestRedirected(Optional(request)) }
    /// Calls the form with a dictionary.
    public func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: SDMResponseHeaders) {
        self.request(request, didReceiveResponseHeaders: headers.dictionary)
    }
    /// Does nothing.
    public func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String]) {}
    /// Calls the form with the full label.
    public func request(_ request: SDMHttpRequest, didReceive data: Data) {
        self.request(request, didReceiveData: data)
    }
    /// Calls the misspelled form.
    public func request(_ request: SDMHttpRequest, didReceiveData data: Data) {
        self.request(request, didRecieveData: data)
    }
    /// Calls the form with unwrapped parameters, which keeps the bytes for `responseData`.
    public func request(_ request: SDMHttpRequest, didRecieveData data: Data) {
        self.request(Optional(request), didReceive: Optional(data))
    }
    /// Follows the redirect.
    public func request(_ request: SDMHttpRequest, willRedirectTo url: URL) { request.redirect(to: url) }
    /// Calls the form of the vendor's selector.
    public func authenticationNeeded(for request: SDMHttpRequest) { authenticationNeededForRequest(request) }
    /// Calls the form with an unwrapped parameter, which cancels authentication.
    public func authenticationNeededForRequest(_ request: SDMHttpRequest) {
        authenticationNeeded(for: Optional(request))
    }
    /// Calls the form of the vendor's selector.
    public func proxyAuthenticationNeeded(for request: SDMHttpRequest) { proxyAuthenticationNeededForRequest(request) }
    /// Calls the form with an unwrapped parameter, which cancels authentication.
    public func proxyAuthenticationNeededForRequest(_ request: SDMHttpRequest) {
        proxyAuthenticationNeeded(for: Optional(request))
    }
}
