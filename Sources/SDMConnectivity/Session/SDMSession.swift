public import Authentication
import Coordination
import Delegation
import Foundation
import Synchronization
public import Transport

/// Transport, credentials, cookies, cache and limits of requests.
///
/// The vendor kept these in the process. Requests use ``shared`` unless they are created with another session, such as
/// one over a fake transport in a test.
public final class SDMSession: Sendable {
    /// The settings; fixed.
    public let configuration: Configuration
    /// Sends the requests.
    public let transport: AnyTransport
    /// The credentials of the session, by origin and realm.
    public let credentials: CredentialStore
    /// The cookies of the session.
    public let cookies: CookieJar
    /// The cache for requests that use one.
    public let downloadCache: SDMDownloadCache
    /// The challenges that servers sent, with Digest's nonces.
    let authentication = PasswordAuthentication()
    let clock: AnyMonotonicClock
    /// The queue of `startAsynchronous()`, which runs up to five requests at a time.
    public let sharedQueue: SDMNetworkQueue
    let transports = TransportTable()
    /// What the session knows about SAP's servers.
    let sap = SAPState()
    private let defaults: Mutex<Defaults>
    private let clearCount = Mutex(0)

    private struct Defaults {
        var timeOutSeconds: Double
        var cache: (any DownloadCaching)?
    }

    /// The maximum of concurrent requests.
    public static let maximumConcurrentRequests = MAX_CONCURRENT_THREADS

    /// Creates a session.
    /// - Parameters:
    ///   - transport: sends the requests; default the network. It must not follow redirects or add cookies, since the
    ///     requests do that.
    ///   - clock: measures waiting times; tests can pass a manual clock.
    public init(
        transport: some Transport = URLSessionTransport.shared, configuration: Configuration = Configuration(),
        credentials: CredentialStore = CredentialStore(), cookies: CookieJar = CookieJar(),
        downloadCache: SDMDownloadCache = SDMDownloadCache(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.transport = AnyTransport(transport)
        self.configuration = configuration
        self.credentials = credentials
        self.cookies = cookies
        self.downloadCache = downloadCache
        self.clock = AnyMonotonicClock(clock)
        sharedQueue = SDMNetworkQueue(
            configuration, maximumConcurrent: Self.maximumConcurrentRequests, isSuspended: false,
            cancelsOnFailure: false)
        sharedQueue.settings.withLock { $0.showsProgress = false }
        defaults = Mutex(Defaults(timeOutSeconds: configuration.timeOutSeconds))
    }

    /// The timeout of new requests in seconds.
    public var defaultTimeOutSeconds: Double {
        get { defaults.withLock(\.timeOutSeconds) }
        set { defaults.withLock { $0.timeOutSeconds = newValue } }
    }

    /// The cache of new requests; default nil, none.
    public var defaultCache: (any DownloadCaching)? {
        get { defaults.withLock(\.cache) }
        set { defaults.withLock { $0.cache = newValue } }
    }

    /// The number of calls of ``clear()``: a request uses nothing in the session if it started before the last one.
    var generation: Int { clearCount.withLock(\.self) }

    /// Removes the credentials, session cookies and cached responses of the user.
    ///
    /// Session cookies have no expiration date; responses are those cached for the session, and those of users in files,
    /// also in ``defaultCache``. Requests that were started before continue, but keep nothing in the session and use
    /// nothing of it: neither credentials, cookies nor tokens.
    public func clear() {
        clearCount.withLock { $0 += 1 }
        credentials.removeAll()
        authentication.removeAll()
        cookies.removeSessionCookies()
        sap.clear()
        downloadCache.clearResponsesOfUsers()
        defaultCache?.clearResponsesOfUsers()
    }
}
