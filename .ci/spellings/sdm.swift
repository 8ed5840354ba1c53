// Every spelling of the vendor's API that the guide promises, against the public API, as an app writes it in Swift 5 or
// 6. `// |` precedes a row of the specification's tables; .ci/check-sdm-seed looks for each row here.
import Delegation
import Foundation
import SDMConnectivity

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// MARK: Requests

func requests(_ url: URL, cache: SDMCacheDelegate) throws {
    // | `+requestWithURL:` / `-initWithURL:`
    var request = SDMHttpRequest.requestWithURL(url)
    request = SDMHttpRequest.request(with: url)
    request = SDMHttpRequest(url: url)
    request = SDMHTTPRequest(url: url)
    request = Request(url: url)
    request = ODPRequest(url: url)
    request = SUPRequest.requestWithURL(url)
    // | `+requestWithURL:usingCache:(andCachePolicy:)`
    request = SDMHttpRequest.requestWithURL(url, usingCache: cache)
    request = SDMHttpRequest.requestWithURL(url, usingCache: nil)
    request = SDMHttpRequest.requestWithURL(url, usingCache: cache, andCachePolicy: ReloadIfDifferentCachePolicy)
    request = SDMHttpRequest.request(with: url, usingCache: cache, andCachePolicy: DefaultCachePolicy)
    settings(of: request)
    actions(of: request, url)
    try processSettings(url)
    results(of: request)
}

func settings(of request: SDMHttpRequest) {
    // | `requestMethod`
    request.requestMethod = HTTP_METHOD_PUT
    request.setRequestMethod("MERGE")
    // | `username`, `password`, `domain` (`setUserName:` alias)
    request.username = "ann"
    request.password = "secret"
    request.domain = nil
    request.setUserName("ann")
    request.setUsername("ann")
    request.setPassword("secret")
    request.proxyUsername = "ann"
    request.proxyPassword = "secret"
    // | `delegate` (`setClientDelegate:` alias)
    request.delegate = nil
    request.setDelegate(nil)
    request.setClientDelegate(nil)
    // | `didStart/didFinish/didFail/didReceiveData/didReceiveResponseHeadersSelector`
    request.didStartSelector = "started:"
    request.didFinishSelector = "finished:"
    request.didFailSelector = "failed:"
    request.didReceiveDataSelector = "request:received:"
    request.didReceiveResponseHeadersSelector = "request:fields:"
    request.setDidStartSelector("started:")
    request.setDidFinishSelector("finished:")
    request.setDidFailSelector("failed:")
    request.setDidReceiveDataSelector("request:received:")
    request.setDidReceiveResponseHeadersSelector("request:fields:")
    // | `didReceiveAuthChallengeSelector`
    request.didReceiveAuthChallengeSelector = "challenged:"
    request.setDidReceiveAuthChallengeSelector("challenged:")
    // | `willRedirectSelector`
    request.willRedirectSelector = "request:redirects:"
    request.setWillRedirectSelector("request:redirects:")
    // | `uploadProgressDelegate`, `downloadProgressDelegate`
    request.uploadProgressDelegate = nil
    request.downloadProgressDelegate = nil
    request.setUploadProgressDelegate(nil)
    request.setDownloadProgressDelegate(nil)
    // | `showAccurateProgress`
    request.showAccurateProgress = true
    request.setShowAccurateProgress(true)
    // | `shouldResetDownloadProgress`/`Upload`
    request.shouldResetDownloadProgress = false
    request.shouldResetUploadProgress = false
    // | `timeOutSeconds`
    request.timeOutSeconds = 60
    // | `retryCountOnTimeout` (ASI `numberOfTimesToRetryOnTimeout`)
    request.retryCountOnTimeout = 1
    request.numberOfTimesToRetryOnTimeout = 1
    // | `shouldAttemptPersistentConnection`
    request.shouldAttemptPersistentConnection = false
    // | `persistentConnectionTimeoutSeconds`
    request.persistentConnectionTimeoutSeconds = 30
    // | `shouldPresentCredentialsBeforeChallenge`
    request.shouldPresentCredentialsBeforeChallenge = false
    // | `authenticationScheme`
    request.authenticationScheme = "Basic"
    // | `shouldRedirect`
    request.shouldRedirect = true
    // | `shouldUseRFC2616RedirectBehaviour`
    request.shouldUseRFC2616RedirectBehaviour = false
    // | `useCookiePersistence`
    request.useCookiePersistence = false
    // | `requestCookies`, `responseCookies`
    let cookie = HTTPCookie(properties: [.name: "n", .value: "v", .domain: "example.com", .path: "/"])
    if let cookie { request.requestCookies.append(cookie) }
    // | `useSessionPersistence`
    request.useSessionPersistence = false
    // | `useKeychainPersistence`
    request.useKeychainPersistence = false
    // | `validatesSecureCertificate`
    request.validatesSecureCertificate = true
    // | `setClientCertificateIdentity:`, `clientCertificates`
    request.setClientCertificateIdentity(nil)
    request.clientCertificates = []
    // | `allowCompressedResponse`
    request.allowCompressedResponse = true
    // | `shouldWaitToInflateCompressedResponses`
    request.shouldWaitToInflateCompressedResponses = true
    // | `shouldCompressRequestBody`
    request.shouldCompressRequestBody = true
    // | `defaultResponseEncoding`
    request.defaultResponseEncoding = .utf8
    // | `downloadDestinationPath`, `temporaryFileDownloadPath`, `allowResumeForFileDownloads`
    request.downloadDestinationPath = "/tmp/file"
    request.temporaryFileDownloadPath = "/tmp/part"
    request.allowResumeForFileDownloads = true
    // | `shouldStreamPostDataFromDisk`, `postBodyFilePath`, `postBody`, `postLength`
    request.shouldStreamPostDataFromDisk = false
    request.postBodyFilePath = nil
    request.postBody = Data()
    _ = request.postLength
    // | `useHTTPVersionOne`
    request.useHTTPVersionOne = false
    // | `shouldPresentAuthenticationDialog` / `…Proxy…`
    request.shouldPresentAuthenticationDialog = false
    request.shouldPresentProxyAuthenticationDialog = false
    // | `secondsToCache`, `cachePolicy`, `cacheStoragePolicy`
    request.secondsToCache = 60
    request.cachePolicy = OnlyLoadIfNotCachedCachePolicy
    request.cacheStoragePolicy = CachePermanentlyCacheStoragePolicy
    request.downloadCache = SDMDownloadCache.instance()
    // | `shouldContinueInBackground`
    request.shouldContinueInBackground = true
    request.shouldContinueWhenAppEntersBackground = true
    // | `shouldAutosetLanguage`
    request.shouldAutosetLanguage = false
    // | `-enableTracing:` / `isTracingEnabled`
    request.enableTracing(true)
    _ = request.isTracingEnabled
    request.userInfo = ["key": 1]
    request.tag = 1
    request.queue = nil
}

func actions(of request: SDMHttpRequest, _ url: URL) {
    // | `-setEtag:withMatchType:`
    request.setEtag("W/\"1\"", with: EtagIfMatch)
    request.setEtag("W/\"1\"", withMatchType: EtagIfNoneMatch)
    request.setEtag("W/\"1\"", with: .ifRange)
    request.setEtag("W/\"1\"", with: .EtagIfMatch)
    // | `-addRequestHeader:value:`
    request.addRequestHeader("Accept", value: "application/json")
    request.requestHeaders["If-Match"] = "*"
    request.buildRequestHeaders()
    request.applyCookieHeader()
    request.applyAuthorizationHeader()
    request.addBasicAuthenticationHeader(withUsername: "ann", andPassword: "secret")
    request.addBasicAuthenticationHeaderWithUsername("ann", andPassword: "secret")
    // | `-appendPostData:` / `-appendPostDataFromFile:`
    request.appendPostData(Data())
    request.appendPost(Data())
    request.appendPostData(fromFile: "/tmp/file")
    // | `-buildPostBody`
    request.buildPostBody()
    // | `-startSynchronous`
    request.startSynchronous()
    // | `-startAsynchronous`
    request.startAsynchronous()
    // | `-cancel`, `-clearDelegatesAndCancel`
    request.cancel()
    request.clearDelegatesAndCancel()
    // | `-retryUsingSuppliedCredentials`, `-cancelAuthentication`
    request.retryUsingSuppliedCredentials()
    request.cancelAuthentication()
    // | `-redirectToURL:`
    request.redirect(to: url)
    request.redirectToURL(url)
    let other = SDMHttpRequest(url: url)
    request.addDependency(other)
    request.removeDependency(other)
    _ = request.dependencies.count
    _ = request.copy()
}

func processSettings(_ url: URL) throws {
    // | `+enableXCSRF:`
    SDMHttpRequest.enableXCSRF(true)
    SDMRequestBuilder.enableXCSRF(true)
    // | `+setMaxConcurrentHTTPRequestCount:` / `+getMaxConcurrentHTTPRequestCount`
    try SDMHttpRequest.setMaxConcurrentHTTPRequestCount(MAX_CONCURRENT_THREADS)
    try SDMHttpRequest(url: url).setMaxConcurrentHTTPRequestCount(3)
    _ = SDMHttpRequest.getMaxConcurrentHTTPRequestCount()
    // | `+clearSession`, `+sharedQueue`, `+setDefaultCache:`, `+mimeTypeForFileAtPath:`, `+base64forData:`, `+decodeBase64:`, `+dateFromRFC1123String:`
    SDMHttpRequest.clearSession()
    _ = SDMHttpRequest.sharedQueue().requestsCount
    _ = SDMHttpRequest.isNetworkInUse()
    SDMHttpRequest.setDefaultCache(SDMDownloadCache.instance())
    _ = SDMHttpRequest.defaultCache()
    _ = SDMHttpRequest.defaultTimeOutSeconds()
    SDMHttpRequest.setDefaultTimeOutSeconds(30)
    let type: String? = SDMHttpRequest.mimeTypeForFileAtPath("/tmp/file")
    let type2: String? = SDMHttpRequest.mimeType(forFileAtPath: "/tmp/file")
    let base64: String = SDMHttpRequest.base64forData(Data())
    let base642: String = SDMHttpRequest.base64(for: Data())
    let text: String? = SDMHttpRequest.decodeBase64("")
    let date: Date? = SDMHttpRequest.dateFromRFC1123String("")
    let date2: Date? = SDMHttpRequest.date(fromRFC1123String: "")
    _ = (type, type2, base64, base642, text, date, date2)
}

/// Objects are implicitly unwrapped, as Swift imported the vendor's header.
func results(of request: SDMHttpRequest) {
    // | `responseString`, `responseData`, `rawResponseData`, `responseHeaders`, `responseStatusCode`, `responseStatusMessage`, `error`, `url`, `originalURL`, `contentLength`, `complete`, `userInfo`, `tag`
    let text: String = request.responseString
    let data: Data = request.responseData
    let raw: Data = request.rawResponseData
    let status: Int = request.responseStatusCode
    let line: String = request.responseStatusMessage
    let error: NSError = request.error as NSError
    let host: String? = request.url.host
    let original: URL = request.originalURL
    let length: Int64 = request.contentLength
    let complete: Bool = request.complete
    let info: [AnyHashable: Any] = request.userInfo
    _ = (text, data, raw, status, line, error.code, error.domain, host, original, length, complete, info, request.tag)
    if let string = request.responseString, request.error == nil { print(string.count, request.responseData.count) }
    print(request.responseHeaders["Content-Type"] ?? "", request.error?.localizedDescription ?? "")
    for cookie in request.responseCookies { print(cookie.name) }
    // | `retryCount`
    let count: Int = request.retryCount + request.authenticationRetryCount + request.proxyAuthenticationRetryCount
    // | `-isResponseCompressed`
    let compressed: Bool = request.isResponseCompressed
    _ = (count, compressed, request.responseEncoding, request.partialDownloadSize, request.totalBytesRead)
    _ = (request.totalBytesSent, request.inProgress, request.connectionCanBeReused, request.didUseCachedResponse)
    _ = (request.authenticationRealm, request.proxyAuthenticationRealm, request.haveBuiltPostBody)
    _ = (request.isCancelled, request.isFinished)
}

// MARK: Delegates

final class Screen: SDMHttpRequestDelegate, SDMProgressDelegate {
    // | `requestStarted:`
    func requestStarted(_ request: SDMHttpRequest) {}
    // | `requestRedirected:`
    func requestRedirected(_ request: SDMHttpRequest) {}
    // | `request:didReceiveData:`
    func request(_ request: SDMHttpRequest, didReceive data: Data) {}
    // | `requestFinished:` / `requestFailed:`
    func requestFinished(_ request: SDMHttpRequest) {}
    func requestFailed(_ request: SDMHttpRequest) {}
    // | `authenticationNeededForRequest:` / `proxyAuthenticationNeededForRequest:`
    func authenticationNeeded(for request: SDMHttpRequest) { request.cancelAuthentication() }
    func proxyAuthenticationNeeded(for request: SDMHttpRequest) { request.cancelAuthentication() }
    // | `setProgress:`
    func setProgress(_ progress: Float) {}
    // | `request:didReceiveBytes:` / `didSendBytes:`
    func request(_ request: SDMHttpRequest, didReceiveBytes bytes: Int64) {}
    func request(_ request: SDMHttpRequest, didSendBytes bytes: Int64) {}
    // | `request:incrementDownloadSizeBy:` / `incrementUploadSizeBy:`
    func request(_ request: SDMHttpRequest, incrementDownloadSizeBy newLength: Int64) {}
    func request(_ request: SDMHttpRequest, incrementUploadSizeBy newLength: Int64) {}
}

/// The vendor's other spellings.
final class OldScreen: RequestDelegate, ProgressDelegate {
    func requestFinished(_ request: SDMHttpRequest!) {}
    func requestFailed(_ request: SDMHttpRequest!) {}
    func request(_ request: SDMHttpRequest, didRecieveData data: Data) {}
    func authenticationNeededForRequest(_ request: SDMHttpRequest) { request.cancelAuthentication() }
    func proxyAuthenticationNeededForRequest(_ request: SDMHttpRequest) { request.cancelAuthentication() }
    func request(_ request: SDMRequesting, didReceiveBytes bytes: Int64) {}
    func request(_ request: SDMRequesting!, didSendBytes bytes: Int64) {}
}

/// Delegates of the main actor.
@MainActor final class MainScreen: @MainActor SDMHttpRequestDelegate {
    var text = ""
    func requestFinished(_ request: SDMHttpRequest) { text = request.responseString }
    func load(_ url: URL) {
        let request = SDMRequestBuilder.requestWithURL(url)
        request.setDelegate(self)
        request.startAsynchronous()
    }
}

@MainActor final class SelectorScreen: SelectorTarget {
    nonisolated static var selectors: SelectorTable { [.mainActorMethod("done:", SelectorScreen.done)] }
    var text = ""
    func done(_ request: SDMHttpRequest) { text = request.responseString }
}

// MARK: The builder

func builder(_ url: URL, cache: CacheDelegate, screen: Screen) {
    // | `SDMRequestBuilder +setRequestType:` / `+retrieveRequestType`
    SDMRequestBuilder.setRequestType(SUPRequestType)
    SDMRequestBuilder.setRequestType(ODPRequestType)
    RequestBuilder.setRequestType(HTTPRequestType)
    let type: RequestType = SDMRequestBuilder.retrieveRequestType()
    SDMRequestBuilder.setTraceLevel(HIGH)
    let level: Level = SDMRequestBuilder.getTraceLevel()
    SDMRequestBuilder.enableTracing(true)
    _ = (type == HTTPRequestType, level == MEDIUM, SDMRequestBuilder.isTracingEnabled())
    SDMRequestBuilder.cancelAllRequestsInQueue()

    var request: SDMRequesting! = SDMRequestBuilder.requestWithURL(url, usingCache: nil)
    request = SDMRequestBuilder.requestWithURL(url, usingCache: cache, andCachePolicy: UseCacheIfLoadFailsCachePolicy)
    request = SDMRequestBuilder.request(with: url)
    let later: Requesting = RequestBuilder.request(with: url, usingCache: cache)
    _ = later.responseString
    // As the vendor's generated apps do.
    request.addRequestHeader("sap-client", value: "100")
    request.shouldRedirect = true
    request.shouldUseRFC2616RedirectBehaviour = false
    request.shouldPresentCredentialsBeforeChallenge = false
    request.validatesSecureCertificate = true
    request.requestMethod = "POST"
    request.setRequestMethod("POST")
    request.postBody = Data("<entry/>".utf8)
    request.requestHeaders["If-Match"] = "*"
    for (name, value) in request.requestHeaders { print(name, value) }
    request.setDelegate(screen)
    request.setDidFinishSelector("done:")
    request.setDidFailSelector("failed:")
    request.didFinishSelector = "done:"
    request.userInfo = [:]
    request.username = "ann"
    request.setPassword("secret")
    request.applyCookieHeader()
    request.applyAuthorizationHeader()
    request.buildRequestHeaders()
    request.enableTracing(true)
    request.setEtag("*", withMatchType: EtagIfMatch)
    request.startAsynchronous()
    request.startSynchronous()
    print(request.url.absoluteString, request.error?.localizedDescription ?? "", request.responseString ?? "")
    print(request.responseHeaders["X-CSRF-TOKEN"] ?? "", request.responseStatusCode, request.responseCookies.count)
    let concrete: SDMHttpRequest = request
    _ = concrete
}

func response(of request: SDMRequesting) async throws { print(try await request.response().status) }

// MARK: Queues and forms

func queue(_ first: SDMHttpRequest, _ second: SDMHttpRequest) {
    // | `SDMNetworkQueue -startBatch` (ASI `-go`)
    let queue = SDMNetworkQueue.queue()
    let later: NetworkQueue = SDMNetworkQueue()
    queue.delegate = nil
    queue.setDelegate(nil)
    queue.setUploadProgressDelegate(nil)
    queue.setDownloadProgressDelegate(nil)
    queue.uploadProgressDelegate = nil
    queue.downloadProgressDelegate = nil
    queue.requestDidStartSelector = "started:"
    queue.requestDidReceiveResponseHeadersSelector = "request:fields:"
    queue.requestWillRedirectSelector = "request:redirects:"
    queue.requestDidFinishSelector = "done:"
    queue.requestDidFailSelector = "failed:"
    queue.queueDidFinishSelector = "drained:"
    queue.setRequestDidStartSelector("started:")
    queue.setRequestDidReceiveResponseHeadersSelector("request:fields:")
    queue.setRequestWillRedirectSelector("request:redirects:")
    queue.setRequestDidFinishSelector("done:")
    queue.setRequestDidFailSelector("failed:")
    queue.setQueueDidFinishSelector("drained:")
    queue.shouldCancelAllRequestsOnFailure = false
    queue.setShouldCancelAllRequestsOnFailure(false)
    queue.showAccurateProgress = true
    queue.setShowAccurateProgress(true)
    queue.userInfo = ["key": 1]
    queue.maxConcurrentOperationCount = 2
    queue.setMaxConcurrentOperationCount(2)
    second.addDependency(first)
    queue.addOperation(first)
    queue.addOperations([second], waitUntilFinished: false)
    queue.startBatch()
    queue.go()
    queue.isSuspended = false
    queue.setSuspended(false)
    queue.waitUntilAllOperationsAreFinished()
    for request in queue.operations { print(request.url ?? "") }
    _ = (queue.operationCount, queue.requestsCount, queue.bytesUploadedSoFar, queue.totalBytesToUpload)
    _ = (queue.bytesDownloadedSoFar, queue.totalBytesToDownload)
    queue.cancelAllOperations()
    queue.reset()
    later.reset()
}

func form(_ url: URL) {
    // | `SDMFormDataRequest -addPostValue:forKey:` etc.
    let request = SDMFormDataRequest(url: url)
    request.addPostValue("ann", forKey: "user")
    request.setPostValue(1, forKey: "number")
    let values: [String: Any] = ["user": "ann"]
    request.setPostValue(values["user"], forKey: "user")
    request.addFile("/tmp/file", forKey: "file")
    request.addFile("/tmp/file", withFileName: "name", andContentType: "text/plain", forKey: "file")
    request.setFile("/tmp/file", forKey: "file")
    request.setFile("/tmp/file", withFileName: "name", andContentType: "text/plain", forKey: "file")
    request.addData(Data(), forKey: "data")
    request.addData(Data(), withFileName: "name", andContentType: "text/plain", forKey: "data")
    request.setData(Data(), forKey: "data")
    request.setData(Data(), withFileName: "name", andContentType: "text/plain", forKey: "data")
    request.postFormat = MultipartFormDataPostFormat
    request.postFormat = URLEncodedPostFormat
    request.stringEncoding = .utf8
    let later: FormDataRequest = request
    later.postFormat = URLEncoded_PostFormat
}

// MARK: Registration

final class Registrar: SMPUserManagerDelegate {
    func userRegistrationSuccessful(_ userManager: SMPUserManager) {}
    func userRegistrationFailed(_ userManager: SMPUserManager) {
        print(userManager.registrationError?.code ?? 0, userManager.registrationError?.localizedDescription ?? "")
    }
}

final class OldRegistrar: SMPUserManagerDelegate {
    func userRegistrationSuccessful(_ userManager: SMPUserManager!) {}
    func userRegistrationFailed(_ userManager: SMPUserManager!) { print(userManager.registrationError!.code) }
}

func registration(_ registrar: Registrar) throws {
    let connection: SMPClientConnection = SMPClientConnection.initializeWithAppID(
        "app", domain: "default", secConfiguration: "admin")
    _ = SMPClientConnection.initialize(withAppID: "app", domain: nil, secConfiguration: nil)
    let done: Bool = connection.setConnectionProfileWithHost(
        "smp.example.com", port: "8080", farm: nil, relayServerUrlTemplate: nil, enableHTTP: true)
    connection.setConnectionProfile(
        withHost: "smp.example.com", port: nil, farm: nil, relayServerUrlTemplate: nil, enableHTTP: false)
    connection.setConnectionProfileWithUrl("https://smp.example.com:8080")
    connection.setConnectionProfile(withUrl: "https://smp.example.com:8080")
    connection.setClientIdentityCertificate(nil)
    connection.setApplicationConnectionID("id")
    let id: String? = connection.applicationConnectionID
    print(done, id ?? "", connection.applicationID, connection.domain ?? "", connection.securityConfig ?? "")
    print(connection.hostPort ?? "")

    let manager: SMPUserManager = SMPUserManager.initializeWithConnection(connection)
    _ = SMPUserManager.initialize(with: connection)
    SMPUserManager.setDelegate(registrar)
    _ = SMPUserManager.getDelegate()
    var error: NSError?
    if manager.registerUser("ann", password: "secret", error: &error, isSyncFlag: true) {
        print(manager.applicationConnectionID ?? "")
    } else {
        print(error!.code, error?.localizedDescription ?? "")
    }
    manager.registerUser("ann", password: "secret", captchaText: "text", error: &error, isSyncFlag: false)
    let deleted: Bool = manager.deleteUser("ann", password: "secret", error: &error)
    try manager.deleteUser("ann", password: "secret")
    print(deleted, manager.clientConnection.applicationID)

    let old: ODPClientConnection = ODPClientConnection.getInstance("app")
    ODPClientConnection.clearServerVerificationKey()
    old.stopClient()
    _ = ODPUserManager(connection: old)
    _ = LiteSUPUserManager(connection: old)
}

func connectivitySettings() {
    ConnectivitySettings.setUrl("https://example.com")
    print(ConnectivitySettings.url() ?? "", ConnectivitySettings.instance().currentLanguage())
    ConnectivitySettings.authenticationType = UsernamePasswordAuthenticationType
    ConnectivitySettings.authenticationType = PortalAuthenticationType
    ConnectivitySettings.authenticationType = CertificateAuthenticationType
    ConnectivitySettings.authenticationType = FormsBasedSAMLAuthenticationType
    ConnectivitySettings.setSUPMode(false)
    print(ConnectivitySettings.isSUPMode, ConnectivitySettings.GWAASMode, ConnectivitySettings.useJSON)
    ConnectivitySettings.SUPHost = "sup.example.com"
    ConnectivitySettings.SUPPort = 8000
    ConnectivitySettings.SUPFarmID = "farm"
    ConnectivitySettings.SUPDomain = "default"
    ConnectivitySettings.SUPAppID = "app"
    ConnectivitySettings.SUPSecurityConfiguration = "admin"
    ConnectivitySettings.portalUrl = "https://example.com"
    ConnectivitySettings.SMPHost = "smp.example.com"
    ConnectivitySettings.SMPPort = 8080
    ConnectivitySettings.SMPDomain = "default"
    ConnectivitySettings.instance().SMPAppID = "app"
}

// MARK: Constants

func constants() {
    let caching: [CachePolicy] = [
        DefaultCachePolicy, IgnoreCachePolicy, ReloadIfDifferentCachePolicy, OnlyLoadIfNotCachedCachePolicy,
        UseCacheIfLoadFailsCachePolicy,
    ]
    let laterCaching: [ECachePolicy] = [
        Default_CachePolicy, Ignore_CachePolicy, ReloadIfDifferent_CachePolicy, OnlyLoadIfNotCached_CachePolicy,
        UseCacheIfLoadFails_CachePolicy,
    ]
    let storage: [CacheStoragePolicy] = [CacheForSessionDurationCacheStoragePolicy, CachePermanentlyCacheStoragePolicy]
    let laterStorage: [ECacheStoragePolicy] = [
        CacheForSessionDuration_CacheStoragePolicy, CachePermanently_CacheStoragePolicy,
    ]
    let formats: [PostFormat] = [MultipartFormDataPostFormat, URLEncodedPostFormat]
    let laterFormats: [EPostFormat] = [MultipartFormData_PostFormat, URLEncoded_PostFormat]
    let conditions: [EtagMatchType] = [EtagIfMatch, EtagIfNoneMatch, EtagIfRange]
    let laterConditions: [EtagType] = [IfMatch, IfNoneMatch, IfRange]
    let levels: [Level] = [LOW, MEDIUM, HIGH, NONE]
    let laterLevels: [TraceLevel] = [Low, Medium, High, None]
    let connectionLevels: [E2ELevel] = [E2ELOW, E2EMEDIUM, E2EHIGH, E2ENONE]
    let types: [RequestType] = [SUPRequestType, ODPRequestType, HTTPRequestType]
    print(caching, laterCaching, storage, laterStorage, formats, laterFormats, conditions, laterConditions)
    print(levels, laterLevels, connectionLevels, types)
    print(MAX_CONCURRENT_THREADS, REQUEST_CHECK_INTERVAL_SECONDS, DEFAULT_PERSISTENT_CONNECTION_TIMEOUT_SECONDS)
    print(DEFAULT_CONNECTION_TIMEOUT_SECONDS, REDIRECTION_LIMIT, AUTHENTICATION_RETRY_COUNT)
    SDMHttpRequest.setMaxBandwidthPerSecond(WWANBandwidthThrottleAmount)
    SDMHttpRequest.throttleBandwidthForWWANUsingLimit(WWANBandwidthThrottleAmount)
    SDMHttpRequest.setShouldThrottleBandwidthForWWAN(false)
    print(SDMHttpRequest.maxBandwidthPerSecond(), SDMHttpRequest.averageBandwidthUsedPerSecond())
    print(SDMHttpRequest.isBandwidthThrottled())
    print(WWANBandwidthThrottleAmount, SDMConnectivityRequestTypeKey, ConnectivityRequestTypeKey)
    print(HTTP_METHOD_GET, HTTP_METHOD_POST, HTTP_METHOD_PUT, HTTP_METHOD_DELETE, HTTP_METHOD_HEAD)
    print(ThreadCountTooHigh, InvalidRequestType, SAPPassportFailure, RequestInitError, SUPRequestInitError)
    SDMDownloadCache.instance().defaultCachePolicy = OnlyLoadIfNotCachedCachePolicy
    DownloadCache.instance().defaultCachePolicy = OnlyLoadIfNotCached_CachePolicy
}

func exceptions() {
    do {
        try SDMHttpRequest.setMaxConcurrentHTTPRequestCount(6)
    } catch {
        let exception: ConnectivityException = error
        print(exception.name == ThreadCountTooHigh, exception.detailedError, exception.statusCode)
        print(exception.error?.localizedDescription ?? "")
    }
}
