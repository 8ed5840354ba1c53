import Delegation
import Foundation
import HTTPMessages
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The state of one request, in its lock.
struct RequestState {
    /// The life of a request.
    enum Phase {
        case created
        case running
        case finished
    }

    /// The receiver of the bytes of the body, as far as it is known.
    enum DataReceiver {
        /// No bytes were delivered yet.
        case unknown
        /// The delegate has no method for them: `responseData` keeps them.
        case request
        /// The delegate's method.
        case delegate
    }

    var settings: SDMRequestSettings
    var results = SDMRequestResults()
    var headers = RequestHeaders()
    var body = PostBody()
    var phase = Phase.created
    /// The session as it was when the app started the request; nil before.
    var sessionAtStart: SessionSnapshot?
    var dataReceiver = DataReceiver.unknown
    /// True while the default method for received bytes may report that there is no other.
    var isDeliveringData = false

    var delegate = WeakTarget(nil)
    var uploadProgressDelegate = WeakTarget(nil)
    var downloadProgressDelegate = WeakTarget(nil)
    /// The queue that the request was added to, until it is complete.
    var owner: SDMNetworkQueue?
    /// The queue that is called after the delegates: the owner, unless the app sets another one.
    var queue: SDMNetworkQueue?
    /// The requests before and after this one.
    var dependencies = RequestDependencies()
    /// The request that this one precedes with a HEAD.
    var mainRequest: SDMHttpRequest?
    var userInfo = UserInfo()
    /// True after `clearDelegatesAndCancel`: nothing is called any more.
    var isSilenced = false
    /// The trace of the request; the same for all attempts.
    var passport: TracePassport?
    /// The URL to which the app's headers and credentials belong: the one that the app has set.
    var home: URL?
    /// The URL at which a delegate has supplied the credentials, after a redirect; nil for `home`.
    var credentialURL: URL?
    /// The user whose password the attempt carries; nil without one.
    var sentUser: String?
    /// The URL of the last attempt, to notice that the app has set another one.
    var currentURL: URL?
    /// What redirects have changed; nil before the first one, and after the app has set another URL.
    var beforeRedirect: BeforeRedirect?
    /// True after a redirect that drops the body.
    var dropsBody = false
    /// The meters of progress; nil before they are used.
    var meters: ProgressMeters?
    /// The head of the last response.
    var head: HTTPResponseHead?
    /// The service's error of a finished request; nil until it was read, the inner value is nil without an error.
    var odataError: ODataError??
    /// The error of `buildPostBody`, which fails the request at its start.
    var bodyError: SDMError?

    /// The pending decision about a redirect: its target, or nil not to follow it.
    var redirectDecision: Decision<URL>?
    /// The pending decision about credentials: true to try again with the supplied ones.
    var credentialDecision: Decision<Bool>?

    init(_ settings: SDMRequestSettings) { self.settings = settings }
}

/// The parts of a request that a redirect changes, as the app has set them.
struct BeforeRedirect {
    let url: URL?
    let requestMethod: String
    let requestCookies: [HTTPCookie]
    let headers: RequestHeaders
}

extension RequestState {
    /// Settings and headers for a copy: with the app's URL, so that its credentials do not go to a redirect's target,
    /// and without those for the target.
    var forCopy: (SDMRequestSettings, RequestHeaders) {
        guard let beforeRedirect, settings.url == currentURL else { return (settings, headers.unbuilt) }
        var settings = settings
        settings.url = beforeRedirect.url
        settings.requestMethod = beforeRedirect.requestMethod
        settings.requestCookies = beforeRedirect.requestCookies
        if let credentialURL, let home, Origin(credentialURL) != Origin(home) {
            (settings.username, settings.password) = (nil, nil)
        }
        return (settings, beforeRedirect.headers.unbuilt)
    }
}

/// Values of the app by key.
///
/// Unchecked, because they may be of any type. They are only stored here.
struct UserInfo: @unchecked Sendable {
    var values: [AnyHashable: Any]?
}
