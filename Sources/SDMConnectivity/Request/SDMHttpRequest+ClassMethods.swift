// The vendor's settings of the process: those of the shared session.

extension SDMHttpRequest {
    /// Sets the maximum number of concurrent asynchronous requests; default 5. Zero and less count as 1.
    /// - Throws: ``SDMConnectivityException`` (`threadCountTooHigh`) above `MAX_CONCURRENT_THREADS`, where the vendor's
    ///   library raised an exception; nothing changes then.
    public class func setMaxConcurrentHTTPRequestCount(_ count: Int) throws(SDMConnectivityException) {
        try SDMSession.shared.setMaximumConcurrent(count)
    }

    /// The maximum number of concurrent asynchronous requests.
    public class func getMaxConcurrentHTTPRequestCount() -> Int {
        SDMSession.shared.sharedQueue.maxConcurrentOperationCount
    }

    /// Sets the maximum of this request's session, as the vendor's guide prints it.
    /// - Throws: as the class method does.
    public func setMaxConcurrentHTTPRequestCount(_ count: Int) throws(SDMConnectivityException) {
        try session.setMaximumConcurrent(count)
    }

    /// The maximum of this request's session.
    public func getMaxConcurrentHTTPRequestCount() -> Int { session.sharedQueue.maxConcurrentOperationCount }

    /// The timeout of new requests in seconds; default 10.
    public class func defaultTimeOutSeconds() -> Double { SDMSession.shared.defaultTimeOutSeconds }

    /// Sets the timeout of new requests in seconds.
    public class func setDefaultTimeOutSeconds(_ seconds: Double) {
        SDMSession.shared.defaultTimeOutSeconds = seconds
    }

    /// The cache of new requests; default nil, none.
    public class func defaultCache() -> (any DownloadCaching)? { SDMSession.shared.defaultCache }

    /// Sets the cache of new requests.
    public class func setDefaultCache(_ cache: (any DownloadCaching)?) { SDMSession.shared.defaultCache = cache }

    /// Removes the session's credentials, cookies without an expiration date and cached responses.
    public class func clearSession() { SDMSession.shared.clear() }

    /// True while requests of ``startAsynchronous()`` wait or run.
    public class func isNetworkInUse() -> Bool { sharedQueue().requestsCount > 0 }

    /// The queue of ``startAsynchronous()``.
    public class func sharedQueue() -> SDMNetworkQueue { SDMSession.shared.sharedQueue }
}

extension SDMSession {
    /// Sets the maximum number of concurrent asynchronous requests.
    /// - Throws: ``SDMConnectivityException`` (`threadCountTooHigh`) above five; nothing changes then.
    public func setMaximumConcurrent(_ count: Int) throws(SDMConnectivityException) {
        try sharedQueue.setMaximumConcurrent(count)
    }
}
