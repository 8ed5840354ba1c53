import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A session that keeps nothing and decides nothing: no cache, no cookies, no credentials.
    ///
    /// A cache makes cancellation crash on Linux, and costs milliseconds a request; cookies would be shared by every
    /// program in a folder of the same name.
    static func patchbay(maximumConnectionsPerHost: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .patchbay
        // On Apple's platforms a request's own setting counts "unless the session's policy is more restrictive"
        // (https://developer.apple.com/documentation/foundation/urlsessionconfiguration); on Linux it always does.
        configuration.timeoutIntervalForRequest = .longerThanAnyRequest
        configuration.timeoutIntervalForResource = .longerThanAnyStream
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        return configuration
    }
}

extension OperationQueue {
    /// Where a session's callbacks arrive.
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
