import Foundation
import HTTPMessages
import PatchbayErrors
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The settings of a request, which are members of ``SDMHttpRequest`` and documented there.
///
/// A request in progress reads them at each attempt, so a delegate can change the URL, the user or the password between
/// two attempts.
struct SDMRequestSettings: Sendable {
    var url: URL?
    var requestMethod = HTTP_METHOD_GET {
        didSet {
            if [HTTP_METHOD_POST, HTTP_METHOD_PUT].contains(requestMethod) {
                shouldAttemptPersistentConnection = false
            }
        }
    }

    // MARK: Credentials

    var username: String?
    var password: String?
    var domain: String?
    var proxyUsername: String?
    var proxyPassword: String?
    var authenticationScheme: String?
    var shouldPresentCredentialsBeforeChallenge = true
    var useSessionPersistence = true
    var useKeychainPersistence = false
    var shouldPresentAuthenticationDialog = false
    var shouldPresentProxyAuthenticationDialog = true

    // MARK: Connection

    var timeOutSeconds: TimeInterval
    var retryCountOnTimeout = 0
    var shouldAttemptPersistentConnection = true
    var persistentConnectionTimeoutSeconds: TimeInterval = DEFAULT_PERSISTENT_CONNECTION_TIMEOUT_SECONDS
    var useHTTPVersionOne = false
    var validatesSecureCertificate = true
    var clientCertificateIdentity: URLSessionTransport.ClientCertificate?
    var clientCertificates: [Data] = []
    var shouldContinueInBackground = true

    // MARK: Redirects and cookies

    var shouldRedirect = true
    var shouldUseRFC2616RedirectBehaviour = false
    var useCookiePersistence = true
    var requestCookies: [HTTPCookie] = []

    // MARK: Bodies

    var allowCompressedResponse = true
    var shouldWaitToInflateCompressedResponses = true
    var shouldCompressRequestBody = false
    var defaultResponseEncoding = String.Encoding.isoLatin1 {
        didSet { hasDefaultResponseEncoding = true }
    }
    /// True if the app has set ``defaultResponseEncoding``.
    private(set) var hasDefaultResponseEncoding = false
    var shouldStreamPostDataFromDisk = false
    var postBodyFilePath: String?
    var downloadDestinationPath: String?
    var temporaryFileDownloadPath: String?
    var allowResumeForFileDownloads = false
    var downloadCache: (any DownloadCaching)?
    var cachePolicy = SDMCachePolicy.default
    var cacheStoragePolicy = SDMCacheStoragePolicy.session
    var secondsToCache: TimeInterval = 0

    // MARK: Progress

    var showAccurateProgress = true
    var shouldResetDownloadProgress = true
    var shouldResetUploadProgress = true

    // MARK: SAP

    var shouldAutosetLanguage = true
    var isTracingEnabled = false

    // MARK: Selectors

    var didStartSelector = "requestStarted:"
    var didFinishSelector = "requestFinished:"
    var didFailSelector = "requestFailed:"
    var didReceiveDataSelector = "request:didReceiveData:"
    var didReceiveResponseHeadersSelector = "request:didReceiveResponseHeaders:"
    var didReceiveAuthChallengeSelector = "authenticationNeededForRequest:"
    var willRedirectSelector = "request:willRedirectToURL:"
    var tag = 0

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

    /// The selectors of the delegate that are no settings.
    static let fixedSelectors = [
        "requestRedirected:", "request:didRecieveData:", "proxyAuthenticationNeededForRequest:",
    ]

    /// The settings of the cache as one value.
    var cacheOptions: SDMCacheOptions {
        SDMCacheOptions(policy: cachePolicy, storage: cacheStoragePolicy, secondsToCache: secondsToCache)
    }
}

/// The value of ``SDMHttpRequest/authenticationScheme`` for Basic.
public let SDMAuthenticationSchemeBasic = "Basic"

extension SDMRequestSettings: RedactedStringConvertible {
    /// Method and redacted URL; no credentials.
    var description: String {
        "\(requestMethod) \(url.map { Redaction.standard.redacted($0) } ?? "(no URL)")"
    }
}
