// Written by .ci/check-migrate --update; do not edit.
// swift-format-ignore-file

extension CatalogueText {
    /// Names of SDMConnectivity.
    static let sDMConnectivity = #"""
        vendor SDMConnectivity
        guide SDMConnectivity.md
        prefixes SDM SMP SUP ODP ASI
        imports SDMConnectivity SDMConnectivityNames Connectivity ASIHTTPRequest
        objc Tour.md#objective-c
        types SDMConnectivity.md#names-and-types
        protocols DownloadCaching SDMCredentialStorage SDMHttpRequestDelegate SDMProgressDelegate SDMRequesting SDMRequestingProgressDelegate SDMUnwrappedRequestDelegate SMPRegistrationStore SMPUserManagerDelegate
        ASIDownloadCache = SDMDownloadCache
        ASIFormDataRequest = SDMFormDataRequest
        ASIHTTPRequest = SDMHttpRequest
        ASIHTTPRequestDelegate = SDMHttpRequestDelegate
        ASINetworkQueue = SDMNetworkQueue
        ASIProgressDelegate = SDMProgressDelegate
        AUTHENTICATION_RETRY_COUNT
        AuthenticationType | certificate formsBasedSAML init(rawValue:)>? portal usernamePassword
        CacheDecision | load revalidate>() use>()
        CacheDelegate = DownloadCaching
        CacheForSessionDurationCacheStoragePolicy : SDMCacheStoragePolicy
        CacheForSessionDuration_CacheStoragePolicy : SDMCacheStoragePolicy
        CachePermanentlyCacheStoragePolicy : SDMCacheStoragePolicy
        CachePermanently_CacheStoragePolicy : SDMCacheStoragePolicy
        CachePolicy = SDMCachePolicy
        CacheStoragePolicy = SDMCacheStoragePolicy
        CertificateAuthenticationType : AuthenticationType
        .Configuration | allowsRedirectsToHTTP delivery init(=delivery:=timeOutSeconds:=userAgent:=maximumResponseBytes:=allowsRedirectsToHTTP:=preferredLanguages:=makeTransport:=savedCredentials:) makeTransport>() maximumResponseBytes +networkTransport>() preferredLanguages>() savedCredentials>SDMCredentialStorage? timeOutSeconds userAgent>? warn>()
        .ConnectionOptions | clientCertificate>? validatesSecureCertificate
        ConnectivityException = SDMConnectivityException
        ConnectivityRequestTypeKey
        ConnectivitySettings : Values | currentLanguage() +instance()>ConnectivitySettings setSUPMode(_:) +setSUPMode(_:) +setUrl(_:) +url()>? +urlWithLanguage()>?
        DEFAULT_CONNECTION_TIMEOUT_SECONDS
        DEFAULT_PERSISTENT_CONNECTION_TIMEOUT_SECONDS
        DefaultCachePolicy : SDMCachePolicy
        Default_CachePolicy : SDMCachePolicy
        DownloadCache = SDMDownloadCache
        DownloadCaching | accepts(_:for:options:) clearCachedResponses(for:) clearResponsesOfUsers() confirmed(by:for:options:)>? decision(for:options:)>CacheDecision fallback(for:options:)>? removeCachedData(for:) store(_:for:options:)
        E2EHIGH : SDMTraceLevel
        E2ELOW : SDMTraceLevel
        E2ELevel = SDMTraceLevel
        E2EMEDIUM : SDMTraceLevel
        E2ENONE : SDMTraceLevel
        E2ETraceLevel = SDMTraceLevel
        ECachePolicy = SDMCachePolicy
        ECacheStoragePolicy = SDMCacheStoragePolicy
        EPostFormat = SDMPostFormat
        ERequestType = SDMRequestType
        ETraceLevel = SDMTraceLevel
        .ErrorCode | +authentication +compression +connectionFailure +customizationBundleInvalid +customizationBundleMissing +emptyParameters +fileManagement +internalError +internalErrorWhileApplyingCredentials +internalErrorWhileBuildingRequest +invalidRequestType +notEditable +notRegistered +parser +passwordPolicy +pushEndpoint +requestCancelled +requestInitError +requestTimedOut +sapPassportFailure +store +supRequestInitError +threadCountTooHigh +tooMuchRedirection +unableToCreateRequest +unhandledException +unsupported
        EtagIfMatch : SDMEtagMatchType
        EtagIfNoneMatch : SDMEtagMatchType
        EtagIfRange : SDMEtagMatchType
        EtagMatchType = SDMEtagMatchType
        EtagType = SDMEtagMatchType
        FormDataRequest = SDMFormDataRequest
        FormsBasedSAMLAuthenticationType : AuthenticationType
        HIGH : SDMTraceLevel
        HTTPRequest = SDMHttpRequest
        HTTPRequestType : SDMRequestType
        HTTP_METHOD_DELETE
        HTTP_METHOD_GET
        HTTP_METHOD_HEAD
        HTTP_METHOD_POST
        HTTP_METHOD_PUT
        High : SDMTraceLevel
        IfMatch : SDMEtagMatchType
        IfNoneMatch : SDMEtagMatchType
        IfRange : SDMEtagMatchType
        IgnoreCachePolicy : SDMCachePolicy
        Ignore_CachePolicy : SDMCachePolicy
        InvalidRequestType
        LOW : SDMTraceLevel
        Level = SDMTraceLevel
        LiteSUPUserManager = SMPUserManager
        Low : SDMTraceLevel
        MAX_CONCURRENT_THREADS
        MEDIUM : SDMTraceLevel
        Medium : SDMTraceLevel
        MultipartFormDataPostFormat : SDMPostFormat
        MultipartFormData_PostFormat : SDMPostFormat
        NONE : SDMTraceLevel
        NetworkQueue = SDMNetworkQueue
        None : SDMTraceLevel
        ODPClientConnection = SMPClientConnection
        ODPRequest = SUPRequest
        ODPRequestType : SDMRequestType
        ODPUserManager = SMPUserManager
        OnlyLoadIfNotCachedCachePolicy : SDMCachePolicy
        OnlyLoadIfNotCached_CachePolicy : SDMCachePolicy
        PortalAuthenticationType : AuthenticationType
        PostFormat = SDMPostFormat
        ProgressDelegate = SDMProgressDelegate
        REDIRECTION_LIMIT
        REQUEST_CHECK_INTERVAL_SECONDS
        ReloadIfDifferentCachePolicy : SDMCachePolicy
        ReloadIfDifferent_CachePolicy : SDMCachePolicy
        Request = SDMHttpRequest
        RequestBuilder = SDMRequestBuilder
        RequestDelegate = SDMHttpRequestDelegate
        RequestInitError
        RequestType = SDMRequestType
        Requesting = SDMRequesting
        SAPPassportFailure
        SDMAuthenticationSchemeBasic
        SDMCacheDelegate = DownloadCaching
        SDMCacheOptions | init(=policy:=storage:=secondsToCache:=user:) policy>SDMCachePolicy secondsToCache storage>SDMCacheStoragePolicy user>?
        SDMCachePolicy | default ignore init(rawValue:)>? onlyLoadIfNotCached reloadIfDifferent useCacheIfLoadFails
        SDMCacheStoragePolicy | init(rawValue:)>? permanent session
        SDMConfigurationError
        SDMConnectivityException | code detailedError error>? message name statusCode underlying>?
        SDMConnectivityRequestTypeKey
        SDMCredentialStorage | credential(for:)>? remove(for:) save(_:for:)
        SDMDownloadCache : DownloadCaching | accepts(_:for:options:) cachedResponse(for:)>? clearCachedResponses(for:) clearResponsesOfUsers() confirmed(by:for:options:)>? decision(for:options:)>CacheDecision defaultCachePolicy>SDMCachePolicy description fallback(for:options:)>? init(=storagePath:=memoryLimit:=fileLimit:=staleLifetime:=now:) +instance()>SDMDownloadCache lastError>? removeCachedData(for:) +sharedCache()>SDMDownloadCache shouldRespectCacheControlHeaders storagePath store(_:for:options:)
        SDMError | code +errorDomain isCancellation message underlying>?
        SDMEtagMatchType | +EtagIfMatch>SDMEtagMatchType +EtagIfNoneMatch>SDMEtagMatchType +EtagIfRange>SDMEtagMatchType ifMatch ifNoneMatch ifRange
        SDMFormDataRequest : SDMHttpRequest SDMRequesting | addData(_:=withFileName:=andContentType:forKey:) addFile(_:=withFileName:=andContentType:forKey:) addPostValue(_:forKey:) buildPostBody() copy(=with:) init(url:session:) postFormat>SDMPostFormat setData(_:=withFileName:=andContentType:forKey:) setFile(_:=withFileName:=andContentType:forKey:) setPostValue(_:forKey:) stringEncoding
        SDMHTTPRequest = SDMHttpRequest
        SDMHttpRequest : SDMRequesting | addBasicAuthenticationHeader(withUsername:andPassword:) addBasicAuthenticationHeaderWithUsername(_:andPassword:) addDependency(_:) addRequestHeader(_:value:) allowCompressedResponse allowResumeForFileDownloads appendPost(_:) appendPostData(_:) appendPostData(fromFile:) applyAuthorizationHeader() applyCookieHeader() authenticationRealm>? authenticationRetryCount authenticationScheme>? +averageBandwidthUsedPerSecond() +base64(for:) +base64forData(_:) buildPostBody() buildRequestHeaders() cachePolicy>SDMCachePolicy cacheStoragePolicy>SDMCacheStoragePolicy cancel() cancelAuthentication() clearDelegatesAndCancel() +clearSession() clientCertificateIdentity>? clientCertificates complete connectionCanBeReused contentLength copy(=with:) +date(fromRFC1123String:)>? +dateFromRFC1123String(_:)>? +decodeBase64(_:)>? +defaultCache()>DownloadCaching? defaultResponseEncoding +defaultTimeOutSeconds() delegate>? dependencies description didFailSelector didFinishSelector didReceiveAuthChallengeSelector didReceiveDataSelector didReceiveResponseHeadersSelector didStartSelector didUseCachedResponse domain>? download(to:=resuming:) downloadCache>DownloadCaching? downloadDestinationPath>? downloadProgressDelegate>? enableTracing(=_:) +enableXCSRF(_:) error>SDMError? +getMaxConcurrentHTTPRequestCount() getMaxConcurrentHTTPRequestCount() haveBuiltPostBody inProgress init(url:) init(url:session:) +isBandwidthThrottled() isCancelled isFinished +isNetworkInUse() isResponseCompressed isTracingEnabled +maxBandwidthPerSecond() +mimeType(forFileAtPath:)>? +mimeTypeForFileAtPath(_:)>? numberOfTimesToRetryOnTimeout odataCollection(of:) odataEntry(of:) odataError>? originalURL>? partialDownloadSize password>? persistentConnectionTimeoutSeconds postBody>? postBodyFilePath>? postLength progressUpdates proxyAuthenticationRealm>? proxyAuthenticationRetryCount proxyPassword>? proxyUsername>? queue>SDMNetworkQueue? rawResponseData>? redirect(to:) redirectCount redirectToURL(_:) redirectURL>? removeDependency(_:) removeRequestHeader(_:) removeUploadProgressSoFar() +request(with:)>Self +request(with:usingCache:=andCachePolicy:)>Self requestCookies requestHeader(_:)>? requestHeaders requestMethod +requestWithURL(_:)>Self +requestWithURL(_:usingCache:=andCachePolicy:)>Self response() responseCookies>? responseData>? responseEncoding responseHeaders>SDMResponseHeaders? responseStatusCode responseStatusMessage>? responseString>? retryCount retryCountOnTimeout retryUsingSuppliedCredentials() secondsToCache session>SDMSession setClientCertificateIdentity(_:) setClientDelegate(_:) +setDefaultCache(_:) +setDefaultTimeOutSeconds(_:) setDelegate(_:) setDidFailSelector(_:) setDidFinishSelector(_:) setDidReceiveAuthChallengeSelector(_:) setDidReceiveDataSelector(_:) setDidReceiveResponseHeadersSelector(_:) setDidStartSelector(_:) setDomain(_:) setDownloadProgressDelegate(_:) setEtag(_:with:) setEtag(_:withMatchType:) +setMaxBandwidthPerSecond(_:) +setMaxConcurrentHTTPRequestCount(_:) setMaxConcurrentHTTPRequestCount(_:) setPassword(_:) setRequestMethod(_:) +setShouldThrottleBandwidthForWWAN(_:) setShowAccurateProgress(=_:) setUploadProgressDelegate(_:) setUserName(_:) setUsername(_:) setWillRedirectSelector(_:) +sharedQueue()>SDMNetworkQueue shouldAttemptPersistentConnection shouldAutosetLanguage shouldCompressRequestBody shouldContinueInBackground shouldContinueWhenAppEntersBackground shouldPresentAuthenticationDialog shouldPresentCredentialsBeforeChallenge shouldPresentProxyAuthenticationDialog shouldRedirect shouldResetDownloadProgress shouldResetUploadProgress shouldStreamPostDataFromDisk shouldUseRFC2616RedirectBehaviour shouldWaitToInflateCompressedResponses showAccurateProgress startAsynchronous() startSynchronous() tag temporaryFileDownloadPath>? +throttleBandwidthForWWANUsingLimit(_:) timeOutSeconds totalBytesRead totalBytesSent uploadProgressDelegate>? url>? useCookiePersistence useHTTPVersionOne useKeychainPersistence useSessionPersistence userInfo>? username>? validatesSecureCertificate willRedirectSelector
        SDMHttpRequestDelegate : SDMUnwrappedRequestDelegate | authenticationNeeded(for:) authenticationNeededForRequest(_:) proxyAuthenticationNeeded(for:) proxyAuthenticationNeededForRequest(_:) request(_:didReceive:) request(_:didReceiveData:) request(_:didReceiveResponseHeaders:) request(_:didRecieveData:) request(_:willRedirectTo:) requestFailed(_:) requestFinished(_:) requestRedirected(_:) requestStarted(_:)
        SDMNetworkQueue | addOperation(_:) addOperations(_:waitUntilFinished:) bytesDownloadedSoFar bytesUploadedSoFar cancelAllOperations() delegate>? downloadProgressDelegate>? go() init(=session:) isSuspended maxConcurrentOperationCount operationCount operations +queue()>SDMNetworkQueue queueDidFinishSelector>? requestDidFailSelector>? requestDidFinishSelector>? requestDidReceiveResponseHeadersSelector>? requestDidStartSelector>? requestWillRedirectSelector>? requestsCount reset() setDelegate(_:) setDownloadProgressDelegate(_:) setMaxConcurrentOperationCount(_:) setQueueDidFinishSelector(_:) setRequestDidFailSelector(_:) setRequestDidFinishSelector(_:) setRequestDidReceiveResponseHeadersSelector(_:) setRequestDidStartSelector(_:) setRequestWillRedirectSelector(_:) setShouldCancelAllRequestsOnFailure(_:) setShowAccurateProgress(=_:) setSuspended(_:) setUploadProgressDelegate(_:) setUserInfo(_:) shouldCancelAllRequestsOnFailure showAccurateProgress startBatch() totalBytesToDownload totalBytesToUpload uploadProgressDelegate>? userInfo>? waitUntilAllOperationsAreFinished() waitUntilFinished()
        SDMNetworkRequestErrorDomain
        SDMPostFormat | init(rawValue:)>? multipart urlEncoded
        SDMProgressDelegate : SDMRequestingProgressDelegate | request(_:didReceiveBytes:) request(_:didSendBytes:) request(_:incrementDownloadSizeBy:) request(_:incrementUploadSizeBy:) setProgress(_:)
        SDMRequestBuilder | +cancelAllRequestsInQueue() channelPolicy>SUPChannelPolicy +enableTracing(_:) +enableXCSRF(_:) +getTraceLevel()>SDMTraceLevel init(=session:storage:=channelPolicy:) isTracingEnabled +isTracingEnabled() makeRequest(url:)>SDMRequesting request(with:)>SDMRequesting +request(with:)>SDMRequesting request(with:usingCache:=andCachePolicy:)>SDMRequesting +request(with:usingCache:=andCachePolicy:)>SDMRequesting requestType>SDMRequestType +requestWithURL(_:)>SDMRequesting +requestWithURL(_:usingCache:=andCachePolicy:)>SDMRequesting +retrieveRequestType()>SDMRequestType session>SDMSession +setRequestType(_:) +setRequestType(number:) +setTraceLevel(_:) +shared>SDMRequestBuilder
        SDMRequestType | http init(rawValue:)>? sup
        SDMRequestTypeStorage | init(=load:=save:) load>() save>() +userDefaults(=suiteName:)>SDMRequestTypeStorage
        SDMRequesting : SDMHttpRequest
        SDMRequestingProgressDelegate | request(_:didReceiveBytes:) request(_:didSendBytes:) request(_:incrementDownloadSizeBy:) request(_:incrementUploadSizeBy:)
        SDMResponseHeaders | description dictionary endIndex hash(into:) init(_:) init(=dictionaryLiteral:) keys startIndex values
        SDMSession | clear() clientConnection>SMPClientConnection? configuration>Configuration +configureShared(=_:) cookies credentials csrfTokenURL>() defaultCache>DownloadCaching? defaultTimeOutSeconds downloadCache>SDMDownloadCache init(=transport:=configuration:=credentials:=cookies:=downloadCache:=clock:) isXCSRFEnabled +maximumConcurrentRequests requestTransport(=_:) sapClient>? setMaximumConcurrent(_:) +shared>SDMSession sharedQueue>SDMNetworkQueue traceLevel>SDMTraceLevel transport
        SDMTraceLevel | high init(rawValue:)>? low medium none
        SDMUnwrappedRequestDelegate | authenticationNeeded(for:) proxyAuthenticationNeeded(for:) request(_:didReceive:) requestFailed(_:) requestFinished(_:) requestRedirected(_:) requestStarted(_:)
        SMPClientConnection | applicationConnectionID>? applicationID +clearServerVerificationKey() clientCertificate>? delete() description domain>? +getInstance(_:)>SMPClientConnection getTraceLevel()>SDMTraceLevel hostPort>? init(applicationID:=domain:=securityConfiguration:=style:=session:=store:) +initialize(withAppID:domain:secConfiguration:=store:)>SMPClientConnection +initializeWithAppID(_:domain:secConfiguration:=store:)>SMPClientConnection profile>SMPConnectionProfile? read() register(=user:=password:=properties:)>SMPRegistration registration()>SMPRegistration? replace(_:=etag:) securityConfig>? securityConfiguration>? session>SDMSession setApplicationConnectionID(_:) setClientIdentityCertificate(_:) setConnectionProfile(withHost:port:=farm:=relayServerUrlTemplate:=enableHTTP:) setConnectionProfile(withUrl:) setConnectionProfileWithHost(_:port:=farm:=relayServerUrlTemplate:=enableHTTP:) setConnectionProfileWithUrl(_:) setRegistration(connectionID:) setTraceLevel(_:) stopClient() update(_:=etag:) version
        SMPConnectionProfile | baseURL +defaultSMPPort +defaultSUPPort init(baseURL:) init(host:=port:=farm:=relayServerURLTemplate:=isSecure:) proxyURL(_:=isAnonymous:) +relayTemplateApache +relayTemplateIIS
        SMPError | code message statusCode>? underlying>?
        SMPFileRegistrationStore : SMPRegistrationStore | file init(at:) load(_:at:)>SMPRegistration? save(_:of:at:)
        SMPHeaderStyle | init(rawValue:)>? smp sup
        SMPRegistration | applicationID connectionID description init(from:) location style>SMPHeaderStyle user>?
        SMPRegistrationStore | load(_:at:)>SMPRegistration? save(_:of:at:)
        SMPUserManager | applicationConnectionID>? clientConnection>SMPClientConnection connection>SMPClientConnection deleteUser(_:password:) deleteUser(_:password:error:) +getDelegate()>SMPUserManagerDelegate? init(connection:) +initialize(with:)>SMPUserManager +initializeWithConnection(_:)>SMPUserManager lastError>SMPError? registerUser(_:password:captchaText:error:isSyncFlag:) registerUser(_:password:error:isSyncFlag:) registrationError>? +setDelegate(_:)
        SMPUserManagerDelegate | userRegistrationFailed(_:) userRegistrationSuccessful(_:)
        SUPChannelPolicy | fail rest
        SUPRequest : SDMHttpRequest SDMRequesting | backendURL>? channelPolicy>SUPChannelPolicy connection>SMPClientConnection? copy(=with:)
        SUPRequestInitError
        SUPRequestType : SDMRequestType
        ThreadCountTooHigh
        TraceLevel = SDMTraceLevel
        .URL | withSAPLanguage(_:)
        URLEncodedPostFormat : SDMPostFormat
        URLEncoded_PostFormat : SDMPostFormat
        UseCacheIfLoadFailsCachePolicy : SDMCachePolicy
        UseCacheIfLoadFails_CachePolicy : SDMCachePolicy
        UsernamePasswordAuthenticationType : AuthenticationType
        .Values | GWAASMode SMPAppID>? SMPDomain>? SMPHost>? SMPPort>? SUPAppID>? SUPDomain>? SUPFarmID>? SUPHost>? SUPPort>? SUPSecurityConfiguration>? authenticationType>AuthenticationType? isSUPMode language>? portalUrl>? useJSON
        WWANBandwidthThrottleAmount
        = ASIAskServerIfModifiedCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIAskServerIfModifiedWhenStaleCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIAuthenticationErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASICacheForSessionDurationCacheStoragePolicy | SDMConnectivity.md#names-and-types | .session, .permanent
        = ASICachePermanentlyCacheStoragePolicy | SDMConnectivity.md#names-and-types | .session, .permanent
        = ASIConnectionFailureErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASIDoNotReadFromCacheCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIDontLoadCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIDownloadCache | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASIFallbackToCacheIfLoadFailsCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIFormDataRequest | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASIHTTPRequest | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASIHTTPRequestDelegate | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASINetworkQueue | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASIOnlyLoadIfNotCachedCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = ASIProgressDelegate | SDMConnectivity.md#names-and-types | SDMHttpRequest, SDMFormDataRequest, SDMNetworkQueue, SDMDownloadCache, SDMHttpRequestDelegate, SDMProgressDelegate: rename them
        = ASIRequestCancelledErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASIRequestTimedOutErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASITooMuchRedirectionErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASIUnableToCreateRequestErrorType | SDMConnectivity.md#names-and-types | names of request.error?.code: .connectionFailure, .requestTimedOut, .authentication, .requestCancelled, .unableToCreateRequest, .tooMuchRedirection
        = ASIUseDefaultCachePolicy | SDMConnectivity.md#names-and-types | one of .default, .ignore, .reloadIfDifferent, .onlyLoadIfNotCached, .useCacheIfLoadFails
        = CacheDelegate | SDMConnectivity.md#names-and-types | the protocol DownloadCaching
        = HTTPRequest | SDMConnectivity.md#names-and-types | import SDMConnectivityNames in the Swift files that have it: HTTPMessages has the name too
        = SDMCacheDelegate | SDMConnectivity.md#names-and-types | the protocol DownloadCaching
        - SDMHttpRequest.PACurl | | the proxy is that of the system's settings
        - SDMHttpRequest.dataWritingOptions() | | the system protects files; set the app's data protection entitlement instead
        - SDMHttpRequest.fileProtectionAttributes() | | the system protects files; set the app's data protection entitlement instead
        - SDMHttpRequest.hideNetworkActivityIndicator() | | iOS has no network activity indicator; show the request's progress instead
        - SDMHttpRequest.isNetworkReachableViaWWAN() | | ask the platform, such as NWPathMonitor
        - SDMHttpRequest.proxyDomain | | the proxy is that of the system's settings
        - SDMHttpRequest.proxyHost | | the proxy is that of the system's settings
        - SDMHttpRequest.proxyPort | | the proxy is that of the system's settings
        - SDMHttpRequest.proxyType | | the proxy is that of the system's settings
        - SDMHttpRequest.saveCredentialsToKeychain(_:) | | set SDMSession.Configuration.savedCredentials and useKeychainPersistence
        - SDMHttpRequest.sendE2ETraceXML(_:) | | there is no trace to send; isTracingEnabled adds header fields only
        - SDMHttpRequest.setProtectionEnabled(_:) | | the system protects files; set the app's data protection entitlement instead
        - SDMHttpRequest.setShouldUpdateNetworkActivityIndicator(_:) | | iOS has no network activity indicator; show the request's progress instead
        - SDMHttpRequest.showNetworkActivityIndicator() | | iOS has no network activity indicator; show the request's progress instead
        = SDMNetworkQueue | SDMConnectivity.md#names-and-types | a queue of requests, with the members above; no blocks, priorities or copies
        - SDMODataCollection | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        - SDMODataEntry | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        - SDMODataError | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        - SDMODataSchema | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        - SDMODataServiceDocument | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        - SDMParser | SDMConnectivity.md#names | the parser's objects are not part of the module; decode responses into types of the app
        = SDMRequesting | SDMConnectivity.md#names-and-types | for SDMHttpRequest and its subclasses
        = decodeBase64: | SDMConnectivity.md#names-and-types | text in UTF-8, else nil
        = error | SDMConnectivity.md#names-and-types | an SDMError, whose code is a name; request.error as NSError? has the vendor's domain and number
        = setClientCertificateIdentity: | SDMConnectivity.md#names-and-types | URLSessionTransport.ClientCertificate: the type exists on Apple's platforms only
        - setCompletionBlock: | SDMConnectivity.md#names | SAP's requests have no blocks; set a delegate or selectors, or await response()
        - setFailedBlock: | SDMConnectivity.md#names | SAP's requests have no blocks; set a delegate or selectors, or await response()
        = setMaxConcurrentHTTPRequestCount: | SDMConnectivity.md#names-and-types | throws, so the call needs try
        ! SDMHttpRequestDelegate.authenticationNeeded(for:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.authenticationNeededForRequest(_:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.proxyAuthenticationNeeded(for:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.proxyAuthenticationNeededForRequest(_:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.request(_:didReceive:) | SDMHttpRequest, Data
        ! SDMHttpRequestDelegate.request(_:didReceiveData:) | SDMHttpRequest, Data
        ! SDMHttpRequestDelegate.request(_:didReceiveResponseHeaders:) | SDMHttpRequest, SDMResponseHeaders | SDMHttpRequest, [String : String]
        ! SDMHttpRequestDelegate.request(_:didRecieveData:) | SDMHttpRequest, Data
        ! SDMHttpRequestDelegate.request(_:willRedirectTo:) | SDMHttpRequest, URL
        ! SDMHttpRequestDelegate.requestFailed(_:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.requestFinished(_:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.requestRedirected(_:) | SDMHttpRequest
        ! SDMHttpRequestDelegate.requestStarted(_:) | SDMHttpRequest
        ! SDMProgressDelegate.request(_:didReceiveBytes:) | SDMHttpRequest, Int64
        ! SDMProgressDelegate.request(_:didSendBytes:) | SDMHttpRequest, Int64
        ! SDMProgressDelegate.request(_:incrementDownloadSizeBy:) | SDMHttpRequest, Int64
        ! SDMProgressDelegate.request(_:incrementUploadSizeBy:) | SDMHttpRequest, Int64
        ! SDMProgressDelegate.setProgress(_:) | Float
        ! SDMRequestingProgressDelegate.request(_:didReceiveBytes:) | (any SDMRequesting)!, Int64 | any SDMRequesting, Int64
        ! SDMRequestingProgressDelegate.request(_:didSendBytes:) | (any SDMRequesting)!, Int64 | any SDMRequesting, Int64
        ! SDMRequestingProgressDelegate.request(_:incrementDownloadSizeBy:) | (any SDMRequesting)!, Int64 | any SDMRequesting, Int64
        ! SDMRequestingProgressDelegate.request(_:incrementUploadSizeBy:) | (any SDMRequesting)!, Int64 | any SDMRequesting, Int64
        ! SDMUnwrappedRequestDelegate.authenticationNeeded(for:) | SDMHttpRequest!
        ! SDMUnwrappedRequestDelegate.proxyAuthenticationNeeded(for:) | SDMHttpRequest!
        ! SDMUnwrappedRequestDelegate.request(_:didReceive:) | SDMHttpRequest!, Data!
        ! SDMUnwrappedRequestDelegate.requestFailed(_:) | SDMHttpRequest!
        ! SDMUnwrappedRequestDelegate.requestFinished(_:) | SDMHttpRequest!
        ! SDMUnwrappedRequestDelegate.requestRedirected(_:) | SDMHttpRequest!
        ! SDMUnwrappedRequestDelegate.requestStarted(_:) | SDMHttpRequest!
        ! SMPUserManagerDelegate.userRegistrationFailed(_:) | SMPUserManager | SMPUserManager!
        ! SMPUserManagerDelegate.userRegistrationSuccessful(_:) | SMPUserManager | SMPUserManager!
        + SDMFormDataRequest | buildPostBody() copy(with:) init(url:session:)
        + SDMHttpRequest | buildPostBody() buildRequestHeaders() copy(with:) description init(url:session:)
        + SUPRequest | copy(with:)
        """#
}
