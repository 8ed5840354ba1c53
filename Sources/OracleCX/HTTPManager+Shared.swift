public import Delegation
public import HTTPMessages
public import Queueing
public import Transport

extension HTTPManager where Base == AnyTransport {
    /// The shared manager, made by
    /// ``configureShared(transport:maximumConcurrentRequestsPerOrigin:backoff:maximumRetryAfter:timeouts:maximumResponseBytes:settings:lifecycle:)``
    /// or else with the defaults.
    public static func shared() -> ORAHTTPManager { sharedManagerInstance.value }

    /// Configures the shared manager. Call it once, before the first call of ``shared()``.
    ///
    /// ```swift
    /// try ORAHTTPManager.configureShared(timeouts: Timeouts(response: .seconds(15)))
    /// ```
    /// - Parameters:
    ///   - transport: sends the requests; default the network. Pass `URLSessionTransport.shared` with layers around it,
    ///     such as `CookieKeeping`, or a fake transport in tests.
    ///   - maximumConcurrentRequestsPerOrigin: concurrent requests per origin; default the setting
    ///     ``ORAConfigHTTPThreadCount``, which is 1 by default.
    ///   - backoff: backoff before retries.
    ///   - maximumRetryAfter: longest `Retry-After` to wait for; a response with a longer one is the last one. Default
    ///     60 seconds.
    ///   - timeouts: timeouts of each request; default 60 seconds until the response begins and 60 seconds between two
    ///     chunks of the body.
    ///   - maximumResponseBytes: maximum response body size in bytes; default 64 MiB.
    ///   - settings: store of the manager's settings.
    ///   - lifecycle: source of app lifecycle events and background tasks.
    /// - Throws: ``ORAConfigurationError`` (`alreadyConfigured`, `alreadyInUse`, `invalidLimit`); nothing changes then.
    public static func configureShared(
        transport: some Transport = URLSessionTransport.shared, maximumConcurrentRequestsPerOrigin: Int? = nil,
        backoff: ExponentialBackoff = .oracle, maximumRetryAfter: Duration = .seconds(60),
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
                .invalidLimit, "maximumResponseBytes is \(maximumResponseBytes); use 0 or more.")
        }
        try sharedManagerInstance.configure {
            ORAHTTPManager(
                transport: AnyTransport(transport),
                maximumConcurrentRequestsPerOrigin: maximumConcurrentRequestsPerOrigin, backoff: backoff,
                maximumRetryAfter: maximumRetryAfter, timeouts: timeouts, maximumResponseBytes: maximumResponseBytes,
                settings: settings, lifecycle: lifecycle)
        }
    }
}

/// The error of
/// ``HTTPManager/configureShared(transport:maximumConcurrentRequestsPerOrigin:backoff:maximumRetryAfter:timeouts:maximumResponseBytes:settings:lifecycle:)``.
public typealias ORAConfigurationError = FacadeConfigurationError

private let sharedManagerInstance = SharedInstance(
    "The shared manager", configuredBy: "ORAHTTPManager.configureShared", before: "the first call of shared()"
) { ORAHTTPManager(transport: .network) }
