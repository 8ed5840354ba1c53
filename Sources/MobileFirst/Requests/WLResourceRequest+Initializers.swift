public import Foundation

// The vendor's initializers, as Swift imports its class methods: `init!`, which never returns nil here.

extension WLResourceRequest {
    /// Creates a request of the shared client.
    /// - Parameters:
    ///   - timeout: see ``timeoutInterval`` for its unit; default that of the client.
    ///   - scope: obtains the token of this scope first; default nil, the server names it.
    public convenience init!(url: URL!, method: String!, timeout: TimeInterval? = nil, scope: String! = nil) {
        self.init(
            url: url, method: method, scope: scope, timeout: timeout, backendServiceName: nil, client: WLClient.instance
        )
    }

    /// Creates a request to a backend service; see ``WLConfiguration/backendServiceURL``.
    /// - Parameter timeout: see ``timeoutInterval`` for its unit; default that of the client.
    public convenience init!(
        url: URL!, method: String!, backendServiceName: String!, timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, scope: nil, timeout: timeout, backendServiceName: backendServiceName,
            client: WLClient.instance)
    }
}
