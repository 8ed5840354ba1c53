public import Foundation

// The vendor's initializers: with `url:` as the header has it, and with `URL:` as its samples do.

extension WLResourceRequest {
    /// Creates a request without a scope, with the client's timeout.
    public convenience init(url: URL?, method: String) {
        self.init(
            url: url, method: method, scope: nil, timeout: nil, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request that obtains the token of a scope first.
    public convenience init(url: URL?, method: String, scope: String?) {
        self.init(
            url: url, method: method, scope: scope, timeout: nil, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request with a timeout; see ``timeoutInterval`` for its unit.
    public convenience init(url: URL?, method: String, timeout: TimeInterval) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request with a timeout and a scope.
    public convenience init(url: URL?, method: String, timeout: TimeInterval, scope: String?) {
        self.init(
            url: url, method: method, scope: scope, timeout: timeout, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service; see ``WLConfiguration/backendServiceURL``.
    public convenience init(url: URL?, method: String, backendServiceName: String, timeout: TimeInterval) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service, without a label as in the vendor's template.
    public convenience init(url: URL?, method: String, backendServiceName: String, _ timeout: TimeInterval) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service, with the client's timeout.
    public convenience init(url: URL?, method: String, backendServiceName: String) {
        self.init(
            url: url, method: method, scope: nil, timeout: nil, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }

    /// Creates a request without a scope, with the client's timeout.
    public convenience init(URL url: Foundation.URL?, method: String) {
        self.init(
            url: url, method: method, scope: nil, timeout: nil, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request that obtains the token of a scope first.
    public convenience init(URL url: Foundation.URL?, method: String, scope: String?) {
        self.init(
            url: url, method: method, scope: scope, timeout: nil, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request with a timeout; see ``timeoutInterval`` for its unit.
    public convenience init(URL url: Foundation.URL?, method: String, timeout: TimeInterval) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request with a timeout and a scope.
    public convenience init(URL url: Foundation.URL?, method: String, timeout: TimeInterval, scope: String?) {
        self.init(
            url: url, method: method, scope: scope, timeout: timeout, backendServiceName: nil,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service; see ``WLConfiguration/backendServiceURL``.
    public convenience init(URL url: Foundation.URL?, method: String, backendServiceName: String, timeout: TimeInterval)
    {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service, without a label as in the vendor's template.
    public convenience init(
        URL url: Foundation.URL?, method: String, backendServiceName: String, _ timeout: TimeInterval
    ) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }

    /// Creates a request to a backend service, with the client's timeout.
    public convenience init(URL url: Foundation.URL?, method: String, backendServiceName: String) {
        self.init(
            url: url, method: method, scope: nil, timeout: nil, backendServiceName: backendServiceName,
            client: .sharedInstance())
    }
}
