public import Foundation

// The vendor's initializers: with `url:` as the header has it, and with `URL:` as its samples do.

extension WLResourceRequest {
    /// Creates a request of the shared client.
    /// - Parameters:
    ///   - timeout: see ``timeoutInterval`` for its unit; default that of the client.
    ///   - scope: obtains the token of this scope first; default nil, the server names it.
    public convenience init(url: URL?, method: String, timeout: TimeInterval? = nil, scope: String? = nil) {
        self.init(
            url: url, method: method, scope: scope, timeout: timeout, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service; see ``WLConfiguration/backendServiceURL``.
    /// - Parameter timeout: see ``timeoutInterval`` for its unit; default that of the client.
    public convenience init(url: URL?, method: String, backendServiceName: String, timeout: TimeInterval? = nil) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: .sharedInstance())
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
}
