public import Foundation
import HTTPMessages
public import Transport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The settings of a request, which the app sets before it starts.
///
/// They are members of the request itself: `request.timeOutSeconds = 30`. Names and defaults are the vendor's. A
/// request under way reads them at each attempt, so a delegate can change the URL, the user or the password between two
/// attempts.
public struct SDMRequestSettings: Sendable {
    /// The URL; a redirect changes it, and ``SDMRequestResults/originalURL`` keeps the first one.
    public var url: URL?
    /// The method, sent as it is written; default `GET`. `POST` and `PUT` turn ``shouldAttemptPersistentConnection``
    /// off.
    public var requestMethod = HTTP_METHOD_GET {
        didSet {
            if [HTTP_METHOD_POST, HTTP_METHOD_PUT].contains(requestMethod) {
                shouldAttemptPersistentConnection = false
            }
        }
    }

    // MARK: Credentials

    /// The user for the server; default nil.
    public var username: String?
    /// The password for the server; default nil.
    public var password: String?
    /// The domain of the user for NTLM, which is not supported; default nil.
    public var domain: String?
    /// The user for a proxy; default nil.
    public var proxyUsername: String?
    /// The password for a proxy; default nil.
    public var proxyPassword: String?
    /// The scheme of the credentials; ``SDMAuthenticationSchemeBasic`` sends them before the server asks. Default nil.
    public var authenticationScheme: String?
    /// True to send known credentials before the server asks for them; default true.
    public var shouldPresentCredentialsBeforeChallenge = true
    /// True to use and keep credentials in the session; default true.
    public var useSessionPersistence = true
    /// True to save credentials in the session's credential storage; default false.
    ///
    /// See `SDMSession.savedCredentials`. The vendor used the keychain.
    public var useKeychainPersistence = false
    /// Without effect: there is no dialog. Default false.
    public var shouldPresentAuthenticationDialog = false
    /// Without effect: there is no dialog. Default true.
    public var shouldPresentProxyAuthenticationDialog = true

    // MARK: Connection

    /// Seconds without bytes sent or received before the request fails; 0 means never. Default 10.
    ///
    /// With a request body the limit is 1.5 times as long: for the whole request if the body has at most 128 KiB, else
    /// until the response head arrives.
    public var timeOutSeconds: TimeInterval
    /// The number of attempts after a timeout; default 0.
    public var retryCountOnTimeout = 0
    /// True to keep the connection open; default true, false for `POST`, `PUT` and requests with a body.
    ///
    /// On Linux a request gets a connection of its own if this is false, and in any case for a method other than `GET`,
    /// `HEAD` and `OPTIONS`, since the engine repeats a request when a kept connection turns out to be closed. Elsewhere
    /// the engine decides, and this only decides ``SDMRequestResults/connectionCanBeReused``.
    public var shouldAttemptPersistentConnection = true
    /// Seconds for which the server keeps an idle connection, as far as known; default 60.
    public var persistentConnectionTimeoutSeconds: TimeInterval = DEFAULT_PERSISTENT_CONNECTION_TIMEOUT_SECONDS
    /// True to fail, since URLSession cannot send HTTP/1.0; default false.
    public var useHTTPVersionOne = false
    /// False to accept any certificate of the server; default true. See `SDMSession.Configuration.makeTransport`.
    public var validatesSecureCertificate = true
    /// The certificate of this client, for servers that request one; default nil.
    ///
    /// The vendor's type is `SecIdentityRef`, which exists on Apple's platforms only.
    public var clientCertificateIdentity: URLSessionTransport.ClientCertificate?
    /// Further certificates of the client's chain. Put them into ``clientCertificateIdentity``; others fail the
    /// request.
    public var clientCertificates: [Data] = []
    /// True to continue while the app is in the background; default true. URLSession's transfers end when the system
    /// suspends the app.
    public var shouldContinueInBackground = true

    // MARK: Redirects and cookies

    /// True to follow the redirects 301, 302, 303 and 307, at most five; default true.
    public var shouldRedirect = true
    /// True to keep the method and the body on 301 and 302; default false, as browsers do.
    public var shouldUseRFC2616RedirectBehaviour = false
    /// True to send and store the cookies of the session; default true.
    public var useCookiePersistence = true
    /// Cookies to send in addition, before those of the session; default none. A redirect drops them.
    ///
    /// They are sent as they are, also if the session has a cookie with the same name.
    public var requestCookies: [HTTPCookie] = []

    // MARK: Bodies

    /// True to accept compressed responses; default true.
    public var allowCompressedResponse = true
    /// Without effect: the engine decompresses responses while they arrive. Default true.
    public var shouldWaitToInflateCompressedResponses = true
    /// True to compress the request body with gzip; default false.
    public var shouldCompressRequestBody = false
    /// The encoding of responses that declare none; default ISO-8859-1.
    ///
    /// It is used for an unknown charset only if the app has set it: the text is not guessed, `responseString` is nil.
    public var defaultResponseEncoding = String.Encoding.isoLatin1 {
        didSet { hasDefaultResponseEncoding = true }
    }
    /// True if the app has set ``defaultResponseEncoding``.
    private(set) var hasDefaultResponseEncoding = false
    /// True to read appended files while they are sent; default false.
    public var shouldStreamPostDataFromDisk = false
    /// A file to send as the body; default nil.
    public var postBodyFilePath: String?
    /// The file for the response body, which replaces an existing one at the end; default nil, in memory.
    public var downloadDestinationPath: String?
    /// The file for the body while it arrives; default nil, a temporary one beside the destination.
    public var temporaryFileDownloadPath: String?
    /// True to continue the download in ``temporaryFileDownloadPath``; default false.
    ///
    /// A file `<name>.patchbay-record` beside it has the URL, the entity tag and the length. Without it, or if the server
    /// has another version, the download starts again; so it does for a server without a strong `ETag` or a length.
    public var allowResumeForFileDownloads = false

    /// The cache; default nil, none.
    public var downloadCache: (any DownloadCaching)?
    /// When the cache is used; default ``SDMCachePolicy/default``.
    public var cachePolicy = SDMCachePolicy.default
    /// How long the cache keeps the response; default ``SDMCacheStoragePolicy/session``.
    public var cacheStoragePolicy = SDMCacheStoragePolicy.session
    /// Seconds for which the cached response is fresh; default 0, what its fields say.
    public var secondsToCache: TimeInterval = 0

    // MARK: Progress

    /// True to count progress in bytes, false to count the request as one unit; default true.
    public var showAccurateProgress = true
    /// True to set the download progress to zero at the start; default true.
    public var shouldResetDownloadProgress = true
    /// True to set the upload progress to zero at the start; default true.
    public var shouldResetUploadProgress = true

    // MARK: SAP

    /// True to send the preferred languages as `Accept-Language`; default true.
    public var shouldAutosetLanguage = true
    /// True to send `SAP-PASSPORT` and `X-CorrelationID`; default false.
    public var isTracingEnabled = false

    // MARK: Selectors

    /// The method called at each attempt; default `requestStarted:`.
    public var didStartSelector = "requestStarted:"
    /// The method called at the end of a request; default `requestFinished:`.
    public var didFinishSelector = "requestFinished:"
    /// The method called after a failure; default `requestFailed:`.
    public var didFailSelector = "requestFailed:"
    /// The method called with each part of the response body; default `request:didReceiveData:`.
    public var didReceiveDataSelector = "request:didReceiveData:"
    /// The method called with the response fields; default `request:didReceiveResponseHeaders:`.
    public var didReceiveResponseHeadersSelector = "request:didReceiveResponseHeaders:"
    /// The method called when credentials are needed; default `authenticationNeededForRequest:`.
    public var didReceiveAuthChallengeSelector = "authenticationNeededForRequest:"
    /// The method that decides about a redirect; default `request:willRedirectToURL:`.
    public var willRedirectSelector = "request:willRedirectToURL:"

    /// A number for the app; default 0.
    public var tag = 0

    init(url: URL?, timeOutSeconds: TimeInterval) {
        self.url = url
        self.timeOutSeconds = timeOutSeconds
    }
}

extension SDMRequestSettings {
    /// Turns `GET`, `DELETE` and `HEAD` into `POST`, for a request with a body.
    mutating func setMethodForBody() {
        if [HTTP_METHOD_GET, HTTP_METHOD_DELETE, HTTP_METHOD_HEAD].contains(requestMethod) {
            requestMethod = HTTP_METHOD_POST
        }
    }

    /// The methods of the delegate, with their defaults and the number of their arguments.
    var selectors: [(selector: String, standard: String, argumentCount: Int)] {
        [
            (didStartSelector, "requestStarted:", 1), (didFinishSelector, "requestFinished:", 1),
            (didFailSelector, "requestFailed:", 1), (didReceiveDataSelector, "request:didReceiveData:", 2),
            (didReceiveResponseHeadersSelector, "request:didReceiveResponseHeaders:", 2),
            (didReceiveAuthChallengeSelector, "authenticationNeededForRequest:", 1),
            (willRedirectSelector, "request:willRedirectToURL:", 2),
        ]
    }

    /// The settings of the cache as one value.
    package var cacheOptions: SDMCacheOptions {
        SDMCacheOptions(policy: cachePolicy, storage: cacheStoragePolicy, secondsToCache: secondsToCache)
    }

    /// ``retryCountOnTimeout`` under its name in ASIHTTPRequest.
    public var numberOfTimesToRetryOnTimeout: Int {
        get { retryCountOnTimeout }
        set { retryCountOnTimeout = newValue }
    }

    /// ``shouldContinueInBackground`` under its name in ASIHTTPRequest.
    public var shouldContinueWhenAppEntersBackground: Bool {
        get { shouldContinueInBackground }
        set { shouldContinueInBackground = newValue }
    }
}

/// The value of ``SDMRequestSettings/authenticationScheme`` for Basic.
public let SDMAuthenticationSchemeBasic = "Basic"

extension SDMRequestSettings: CustomStringConvertible, CustomReflectable {
    /// Method and redacted URL; no credentials.
    public var description: String {
        "\(requestMethod) \(url.map { Redaction.standard.redacted($0) } ?? "(no URL)")"
    }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["settings": description]) }
}
