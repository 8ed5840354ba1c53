public import Foundation

extension SDMRequestBuilder {
    /// Makes a GET request of the current type; see `request(with:)`.
    public static func requestWithURL(_ url: URL?) -> any SDMRequesting { shared.request(with: url) }

    /// ``requestWithURL(_:)`` under the name that Swift's importer derives.
    public static func request(with url: URL?) -> any SDMRequesting { shared.request(with: url) }

    /// Makes a GET request with a cache.
    public static func requestWithURL(
        _ url: URL?, usingCache cache: (any DownloadCaching)?, andCachePolicy policy: SDMCachePolicy = .default
    ) -> any SDMRequesting {
        shared.request(with: url, usingCache: cache, andCachePolicy: policy)
    }

    /// ``requestWithURL(_:usingCache:andCachePolicy:)`` under the name that Swift's importer derives.
    public static func request(
        with url: URL?, usingCache cache: (any DownloadCaching)?, andCachePolicy policy: SDMCachePolicy = .default
    ) -> any SDMRequesting {
        shared.request(with: url, usingCache: cache, andCachePolicy: policy)
    }

    /// Sets the type of later requests, which is stored in `UserDefaults`.
    public static func setRequestType(_ type: SDMRequestType) { shared.requestType = type }

    /// Sets the type of later requests by its number, `0xFE` or `0xFF`.
    /// - Throws: ``SDMConnectivityException`` (`invalidRequestType`); nothing changes then.
    public static func setRequestType(number: Int) throws(SDMConnectivityException) {
        guard let type = SDMRequestType(rawValue: number) else {
            throw SDMConnectivityException(
                .invalidRequestType,
                "Unknown request type \(number); use SUPRequestType (254) or HTTPRequestType (255).")
        }
        shared.requestType = type
    }

    /// The type of later requests; default ``SDMRequestType/sup``.
    public static func retrieveRequestType() -> SDMRequestType { shared.requestType }

    /// Sets whether later requests are traced; default false.
    public static func enableTracing(_ isEnabled: Bool) { shared.isTracingEnabled = isEnabled }

    /// Whether later requests are traced.
    public static func isTracingEnabled() -> Bool { shared.isTracingEnabled }

    /// Sets the level of end-to-end traces; default ``SDMTraceLevel/medium``.
    public static func setTraceLevel(_ level: SDMTraceLevel) { shared.session.traceLevel = level }

    /// The level of end-to-end traces.
    public static func getTraceLevel() -> SDMTraceLevel { shared.session.traceLevel }

    /// Cancels the requests of `startAsynchronous()`, waiting and running.
    public static func cancelAllRequestsInQueue() { shared.session.sharedQueue.cancelAllOperations() }

    /// Turns tokens against cross-site request forgery on or off; see ``SDMSession/isXCSRFEnabled``. Default off.
    public static func enableXCSRF(_ isEnabled: Bool) { shared.session.isXCSRFEnabled = isEnabled }
}
