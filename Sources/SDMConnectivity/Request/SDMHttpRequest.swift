import Coordination
import Delegation
public import Foundation
import HTTPMessages
import Synchronization

/// One HTTP request: settings, start, response.
///
/// ```swift
/// let request = SDMHttpRequest(url: url)
/// request.delegate = self
/// request.setDidFinishSelector("serviceDocFetchComplete:")
/// request.startAsynchronous()
/// ```
/// A request in progress reads its settings at each attempt, so a delegate can change the URL, the user or the password
/// between two attempts. A request starts once; later starts have no effect, after its end with a warning: start a
/// ``copy(with:)`` instead. It completes exactly once, with `requestFinished:` for any status, or with
/// `requestFailed:`. Thread-safe. Subclasses override ``buildPostBody()`` and ``buildRequestHeaders()``.
///
/// A delegate is held weakly. If it is released while the request waits for its decision, the request continues as
/// without a delegate.
open class SDMHttpRequest: NSObject, NSCopying, @unchecked Sendable {
    /// The session: transport, credentials, cookies and limits.
    public let session: SDMSession
    let state: Mutex<RequestState>
    /// The outcome; set once, at the end.
    let completion = Promise<SDMError?>()
    /// Set after the delegates were called at the end.
    let endDelivery = Promise<Void>()
    /// Set by ``cancel()``.
    let cancellation = Promise<Bool>()
    /// The progress for asynchronous sequences.
    let progressFeed = ProgressFeed()

    /// Creates a GET request of a session.
    /// - Parameter url: nil fails the request with `unableToCreateRequest` when it starts.
    public required init(url: URL?, session: SDMSession) {
        self.session = session
        var settings = SDMRequestSettings(url: url, timeOutSeconds: session.defaultTimeOutSeconds)
        settings.downloadCache = session.defaultCache
        state = Mutex(RequestState(settings))
        super.init()
    }

    /// Creates a GET request of the shared session.
    public convenience init(url: URL?) { self.init(url: url, session: .shared) }

    /// Creates a GET request of the shared session, of the class that it is called on.
    public class func request(with url: URL?) -> Self { Self(url: url, session: .shared) }

    /// ``request(with:)`` under the vendor's name.
    public class func requestWithURL(_ url: URL?) -> Self { request(with: url) }

    /// Creates a GET request with a cache.
    public class func request(
        with url: URL?, usingCache cache: (any DownloadCaching)?, andCachePolicy policy: SDMCachePolicy = .default
    ) -> Self {
        let request = Self(url: url, session: .shared)
        request.downloadCache = cache
        request.cachePolicy = policy
        return request
    }

    /// ``request(with:usingCache:andCachePolicy:)`` under the vendor's name.
    public class func requestWithURL(
        _ url: URL?, usingCache cache: (any DownloadCaching)?, andCachePolicy policy: SDMCachePolicy = .default
    ) -> Self {
        request(with: url, usingCache: cache, andCachePolicy: policy)
    }

    /// Returns an unstarted request with the same settings, headers and delegates, without results.
    ///
    /// Override it to copy the state of a subclass: call `super`, and cast its result.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init(url: self.url, session: session)
        copyState(to: copy)
        return copy
    }

    /// Method and redacted URL.
    open override var description: String {
        self.settings.description
    }

    // MARK: Hooks

    /// Fixes the body, at most once; called at the start if it was not called before.
    ///
    /// Parts that are appended later are ignored. A non-empty body turns `GET`, `DELETE` and `HEAD` into `POST`.
    open func buildPostBody() { buildOwnPostBody() }

    /// Sets the header fields that the library makes, except those that the app has set. Called before each attempt.
    open func buildRequestHeaders() { buildOwnRequestHeaders() }

    /// Changes the request of one attempt, with its headers, cookies and credentials.
    /// - Returns: the rejection of credentials in another request, which this one has waited for; nil without.
    func prepare(_ request: inout HTTPMessages.HTTPRequest) async throws -> CredentialRejection? {
        try await prepareForSAP(&request)
    }

    /// A request for the token of this one, to which the settings are added.
    func makeTokenFetch(from url: URL) -> SDMHttpRequest { SDMHttpRequest(url: url, session: session) }

    /// True if the session keeps the cookies of a response. Called with the lock of its jar held.
    func keepsCookies(of head: HTTPResponseHead) -> Bool { belongsToSession }

    /// Looks at a response head.
    /// - Returns: true to send the request again, at most once.
    func received(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) async -> Bool {
        isCSRFTokenRejected(head, of: request)
    }

    /// Looks at the final response of a server, once its body is complete.
    func completed(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) {}
}
