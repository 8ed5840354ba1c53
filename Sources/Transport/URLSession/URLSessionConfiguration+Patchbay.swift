import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A configuration without cache, cookies and credentials.
    ///
    /// On Linux, a cache makes cancellation crash and costs milliseconds per request. Cookies would be stored on disk
    /// and shared by all programs whose folders have the same name.
    /// - Parameter options: supported by this platform.
    static func patchbay(
        maximumConnectionsPerHost: Int, options: URLSessionTransport.NetworkOptions = .init()
    ) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        options.configureSession?(configuration)
        options.apply(to: configuration)
        configuration.removeSharedState()
        // On Apple's platforms a request's own timeout applies "unless the session's policy is more restrictive"
        // (https://developer.apple.com/documentation/foundation/urlsessionconfiguration); on Linux it always applies.
        configuration.timeoutIntervalForRequest = .longerThanAnyRequest
        configuration.timeoutIntervalForResource = .longerThanAnyStream
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        return configuration
    }

    /// Removes cache, cookies and credentials.
    func removeSharedState() {
        urlCache = nil
        requestCachePolicy = .patchbay
        httpCookieStorage = nil
        httpCookieAcceptPolicy = .never
        httpShouldSetCookies = false
        urlCredentialStorage = nil
    }
}

extension OperationQueue {
    /// The delegate queue of a session: serial on Apple's platforms, inline on Linux.
    static func patchbay() -> OperationQueue {
        #if canImport(Darwin)
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        #else
            return InlineOperationQueue()
        #endif
    }
}
