public import Authentication
import Connectivity
import Coordination
import Delegation
import Foundation
import HTTPCaching
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
    /// The limits of the bandwidth of all requests.
    let bandwidth: BandwidthSettings
    /// ``transport`` within these limits.
    let limitedTransport: AnyTransport
    /// The queue of `startAsynchronous()`, which runs up to five requests at a time.
    public let sharedQueue: SDMNetworkQueue
    let transports = TransportTable()
    /// The settings for SAP's servers, and the CSRF tokens that they have sent; reset by ``clear()``.
    let sap = Session<SAPState, Never>(SAPState())
    /// The URLs whose cached responses writes have removed: one that was requested before is not kept.
    let removals = Mutex(RemovalLog())
    private let defaults: Mutex<Defaults>

    private struct Defaults {
        var timeOutSeconds: Double
        var cache: (any DownloadCaching)?
    }

    /// The maximum of concurrent requests.
    public static let maximumConcurrentRequests = MAX_CONCURRENT_THREADS

    /// Creates a session.
    /// - Parameters:
    ///   - transport: sends the requests; default the network. It must not follow redirects or add cookies, since the
    ///     requests do that. Those with a client's certificate, or without the check of the server's, need one of their
    ///     own: see ``Configuration/makeTransport``.
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
        bandwidth = BandwidthSettings(clock: clock) { .system }
        limitedTransport = bandwidth.limiting(self.transport)
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

    /// Removes what belongs to the user: the credentials, the tokens, the cookies without an expiration date, the
    /// responses cached for the session and those of users in files, also in ``defaultCache``, and the transports with
    /// certificates of clients. A file that cannot be removed is in ``SDMDownloadCache/lastError``.
    ///
    /// What is not only the session's stays: remove the passwords in ``Configuration/savedCredentials``, and delete the
    /// registration of a ``clientConnection`` (``SMPClientConnection/delete()``) before this, as the user.
    ///
    /// Requests that were started before continue, but keep nothing in the session and use nothing that comes into it
    /// afterwards: neither credentials, cookies nor tokens.
    public func clear() {
        // First: what a request in flight keeps afterwards is not kept, and what it has kept before is removed here.
        sap.reset { $0.tokens = CSRFTokens() }
        credentials.removeAll()
        authentication.removeAll()
        cookies.removeSessionCookies()
        transports.removeAll()
        downloadCache.clearResponsesOfUsers()
        defaultCache?.clearResponsesOfUsers()
    }
}
