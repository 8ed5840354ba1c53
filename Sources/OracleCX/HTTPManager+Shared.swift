public import HTTPMessages
public import Queueing
public import Transport

extension HTTPManager where Base == AnyTransport {
    /// The program's manager: the one that ``configureShared(transport:maximumConcurrentRequestsPerOrigin:backoff:maximumRetryAfter:timeouts:maximumResponseBytes:settings:lifecycle:)``
    /// made, or else one over the network with the defaults.
    public static func shared() -> ORAHTTPManager { programManager.value }

    /// Makes the program's manager. Call it once, before the first call of ``shared()``.
    ///
    /// ```swift
    /// try ORAHTTPManager.configureShared(timeouts: Timeouts(response: .seconds(15)))
    /// ```
    /// - Parameters:
    ///   - transport: sends the requests; default the network. Put layers around `URLSessionTransport.shared` here, such
    ///     as a `CookieKeeping`, or a fake transport in tests.
    ///   - maximumConcurrentRequestsPerOrigin: the number of requests that run at a time for one origin; default the
    ///     setting ``ORAConfigHTTPThreadCount``, which is 1 by default.
    ///   - backoff: the waits before retries.
    ///   - maximumRetryAfter: the longest wait that a server may ask for (`Retry-After`).
    ///   - timeouts: the timeouts of each request; default 60 seconds until the response begins, and 60 seconds between
    ///     two pieces of it.
    ///   - maximumResponseBytes: the largest response body; default 64 MiB.
    ///   - settings: the store of the manager's settings.
    ///   - lifecycle: the source of the app's transitions to the background and back.
    /// - Throws: ``ORAConfigurationError`` (`alreadyConfigured`, `alreadyInUse`, `invalidLimit`); then nothing changes.
    public static func configureShared(
        transport: some Transport = URLSessionTransport.shared, maximumConcurrentRequestsPerOrigin: Int? = nil,
        backoff: ExponentialDelay = .oracle, maximumRetryAfter: Duration = .seconds(60),
        timeouts: Timeouts = Timeouts(), maximumResponseBytes: Int = 64 << 20, settings: ORASettingsStore = .shared,
        lifecycle: some ORAAppLifecycle = ORANotifiedLifecycle()
    ) throws(ORAConfigurationError) {
        do {
            try timeouts.validate()
        } catch {
            throw ORAConfigurationError(.invalidLimit, error.message)
        }
        guard maximumResponseBytes >= 0 else {
            throw ORAConfigurationError(
                .invalidLimit, "maximumResponseBytes is \(maximumResponseBytes); it must be 0 or more.")
        }
        try programManager.configure {
            ORAHTTPManager(
                transport: AnyTransport(transport),
                maximumConcurrentRequestsPerOrigin: maximumConcurrentRequestsPerOrigin, backoff: backoff,
                maximumRetryAfter: maximumRetryAfter, timeouts: timeouts, maximumResponseBytes: maximumResponseBytes,
                settings: settings, lifecycle: lifecycle)
        }
    }
}

private let programManager = SharedInstance { ORAHTTPManager(transport: .network) }
