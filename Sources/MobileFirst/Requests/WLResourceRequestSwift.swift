public import Foundation

/// ``WLResourceRequest`` as the vendor's pure-Swift class has it: initializers and results that are not optional.
///
/// ```swift
/// let request = WLResourceRequestSwift(
///     url: URL(string: "/adapters/Bank/balance"), method: WLResourceRequestSwift.WLHttpMethodGet)
/// request.send { response, error in print(response?.responseText ?? "", error ?? "") }
/// ```
/// The vendor's pages pass the URL as `url:` and as `URL:`, and optional ones too.
open class WLResourceRequestSwift: WLResourceRequest {
    /// Creates a request of the shared client.
    /// - Parameters:
    ///   - timeout: see ``WLResourceRequest/timeoutInterval`` for its unit; default that of the client.
    ///   - scope: obtains the token of this scope first; default nil, the server names it.
    public init(url: URL?, method: String, timeout: TimeInterval? = nil, scope: String? = nil) {
        super.init(
            url: url, method: method, scope: scope, timeout: timeout, backendServiceName: nil, client: WLClient.instance
        )
    }

    /// Creates a request to a backend service; see ``WLConfiguration/backendServiceURL``.
    /// - Parameter timeout: see ``WLResourceRequest/timeoutInterval`` for its unit; default that of the client.
    public init(url: URL?, method: String, backendServiceName: String, timeout: TimeInterval? = nil) {
        super.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: WLClient.instance)
    }

    /// Creates a request to a backend service, without a label as in the vendor's template.
    public convenience init(url: URL?, method: String, backendServiceName: String, _ timeout: TimeInterval) {
        self.init(url: url, method: method, backendServiceName: backendServiceName, timeout: timeout)
    }

    /// ``init(url:method:timeout:scope:)`` in the spelling of the vendor's samples.
    public convenience init(
        URL url: Foundation.URL?, method: String, timeout: TimeInterval? = nil, scope: String? = nil
    ) {
        self.init(url: url, method: method, timeout: timeout, scope: scope)
    }

    /// ``init(url:method:backendServiceName:timeout:)`` in the spelling of the vendor's samples.
    public convenience init(
        URL url: Foundation.URL?, method: String, backendServiceName: String, timeout: TimeInterval? = nil
    ) {
        self.init(url: url, method: method, backendServiceName: backendServiceName, timeout: timeout)
    }

    /// ``init(url:method:backendServiceName:_:)`` in the spelling of the vendor's samples.
    public convenience init(
        URL url: Foundation.URL?, method: String, backendServiceName: String, _ timeout: TimeInterval
    ) {
        self.init(url: url, method: method, backendServiceName: backendServiceName, timeout: timeout)
    }

    /// The encoded query, as it is sent; empty without parameters.
    open override func getQueryString() -> String { super.getQueryString() }
    /// The names of all headers; initially empty.
    open override func headerNames() -> [String] { super.headerNames() }
    /// The values of a header, split at commas; empty without it.
    open override func headers(forName name: String!) -> [String] { super.headers(forName: name) }
    /// The first value of a header; empty without it.
    open override func header(forName name: String!) -> String { super.header(forName: name) }
}
