// Written by .ci/check-migrate --update; do not edit.
// swift-format-ignore-file

extension CatalogueText {
    /// Names of MobileFirst.
    static let mobileFirst = #"""
        vendor MobileFirst
        guide MobileFirst.md
        prefixes WL
        imports MobileFirst IBMMobileFirstPlatformFoundation IBMMobileFirstPlatformFoundationHybrid IBMMobileFirstPlatformFoundationSwift WorklightAPI
        objc Tour.md#objective-c
        types MobileFirst.md#source-differences
        protocols WLDelegate WLRegistrationStore
        AccessToken | asAuthorizationRequestHeaderField asFormEncodedBodyParameter description expiration>? init(token:withExpiration:forScope:)>? init(token:withExpiration:forScope:) scope value
        AccessTokenSwift = AccessToken
        BaseChallengeHandler | cancel() handlerName>? init() init(name:)>? name
        BaseChallengeHandlerSwift = BaseChallengeHandler
        ERROR_OAUTH_CANCELED
        ERROR_OAUTH_PREVENT_REDIRECT
        .ErrorCode | +alreadyInProgress +authorization +cancelled +challengeCancelled +configuration +file +internalError +invalidClientID +invalidRequest +missingChallengeHandler +notRegistered +parse +procedure +requestTimeout +responseTooLarge +status +unknownBackendService +unresponsiveHost
        GatewayChallengeHandler : BaseChallengeHandler | canHandle(_:) canHandleResponse(_:) cancel() handleChallenge(_:) init() init(gatewayName:)>? init(name:)>? onFailure(_:) onSuccess(_:) submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:=requestMethod:) submitSuccess(_:)
        GatewayChallengeHandlerSwift : GatewayChallengeHandler | canHandleResponse(_:) canHandleResponse(response:) handleChallenge(_:) handleChallenge(response:) init(gatewayName:) onFailure(_:) onFailure(failureResponse:) onSuccess(_:) onSuccess(successResponse:) submitLoginForm(requestUrl:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:=requestMethod:) submitSuccess(response:)
        SecurityCheckChallengeHandler : BaseChallengeHandler | cancel() handleChallenge(_:) handleFailure(_:) handleSuccess(_:) init() init(name:)>? init(securityCheck:)>? securityCheck submitChallengeAnswer(_:)
        SecurityCheckChallengeHandlerSwift : SecurityCheckChallengeHandler | handleChallenge(_:) handleChallenge(challengeResponse:) handleFailure(_:) handleFailure(failureResponse:) handleSuccess(_:) handleSuccess(successResponse:) init(securityCheck:) submitChallengeAnswer(answer:)
        WLAuthorizationManager | authorizationServerURL>? clear(_:) clearAccessToken(_:) clearAccessToken(accessToken:) isAuthorizationRequired(for:) isAuthorizationRequired(forResponseWithStatus:headers:) isAuthorizationRequired(response:) isAuthorizationRequired(status:headers:) isGatewayResponse(_:) isGatewayResponse(response:) login(_:withCredentials:) login(_:withCredentials:=withCompletionHandler:)>WLCall login(securityCheck:credentials:=onCompletion:)>WLCall logout(_:) logout(_:=withCompletionHandler:)>WLCall logout(securityCheck:=onCompletion:)>WLCall obtainAccessToken(forScope:)>AccessToken obtainAccessToken(forScope:=onCompletion:)>WLCall obtainAccessToken(forScope:=withCompletionHandler:)>WLCall resourceScope(from:)>? resourceScope(fromResponse:)>? resourceScope(fromResponseHeaders:)>? resourceScope(responseHeaders:)>? setAuthorizationServerURL(_:) setLoginTimeOut(_:) setLoginTimeOut(timeOut:) setLoginTimeout(_:) +sharedInstance()>WLAuthorizationManager? timeOut>?
        WLAuthorizationManagerSwift : WLAuthorizationManager | +sharedInstance()>WLAuthorizationManagerSwift
        WLCall
        WLClient | HTTPCookieStorage() addGlobalHeader(_:headerValue:) addGlobalHeader(headerName:headerValue:) authorizationManager>WLAuthorizationManager confidentialClient(id:secret:=scope:) configuration>WLConfiguration +configureShared(_:=transport:=registrations:=makePinnedTransport:) defaultRequestTimeoutInterval delivery description getAllChallengeHandlers()>? getChallengeHandler(bySecurityCheck:)>SecurityCheckChallengeHandler? getDeviceDisplayName(=completionHandler:)>WLCall getDeviceDisplayName(=onCompletion:)>WLCall getGlobalHeaders()>? init(_:=transport:=registrations:=cookieJar:=makePinnedTransport:=clock:=date:) invokeProcedure(_:withDelegate:=options:)>WLCall isInitialized pinTrustedCertificatePublicKey(certificateFilename:) pinTrustedCertificatePublicKey(certificateFilenames:) pinTrustedCertificatePublicKey(fromFile:) pinTrustedCertificatePublicKey(fromFiles:) registerChallengeHandler(_:) registerChallengeHandler(challengeHandler:) removeGlobalHeader(_:) removeGlobalHeader(headerName:) send(request:delegate:)>WLCall send(request:responseQueue:delegate:)>WLCall serverUrl()>? setDeviceDisplayName(_:=withCompletionHandler:)>WLCall setDeviceDisplayName(displayName:=onCompletion:)>WLCall setDeviceID(_:) setHeartBeatInterval(_:) setHeartBeatInterval(interval:) setServerUrl(_:) setServerUrl(url:) +sharedInstance()>WLClient? wlConnect(withDelegate:=options:)>WLCall
        WLClientErrorCode | init(rawValue:)>? procedureError submitFailure unexpectedError
        WLClientErrorDomain
        WLClientSwift : WLClient | +sharedInstance()>WLClientSwift
        WLCompletionHandler
        WLConfiguration | allowsInsecureServers applicationID applicationVersion>? backendServiceURL>() clientPlatform deviceHardware deviceID>? heartbeatInterval init(propertyList:) init(serverURL:=applicationID:=applicationVersion:) languagePreferences loginTimeout +mainBundle()>WLConfiguration maximumResponseBytes redirectURI requestTimeout sendsTokensToEveryServer serverURL timeoutUnit>WLTimeoutUnit trustedURLs usesRefreshTokens warn>()
        WLConfigurationError
        WLDelegate | onFailure(_:) onSuccess(_:)
        WLError | code +errorDomain failingURL>? message response>WLResponse? underlying>? vendorCode
        WLFailResponse : WLResponse | clientErrorCode>WLClientErrorCode errorCode>? errorMsg>? +getErrorMessage(from:) +getErrorMessage(fromJSON:)>? +getWLErrorCode(fromJSON:)>WLClientErrorCode init(_:error:=invocationContext:)
        WLFailResponseSwift = WLFailResponse
        WLFileRegistrationStore : WLRegistrationStore | file init(at:) load()>? save(_:)
        WLHeader | description headerName headerValue init(headerName:headerValue:)
        WLHttpMethodDelete
        WLHttpMethodGet
        WLHttpMethodPost
        WLHttpMethodPut
        WLMemoryRegistrationStore : WLRegistrationStore | init() load()>? save(_:)
        WLProcedureInvocationData | adapterName init(adapterName:procedureName:) parameters procedureName
        WLQueueCompletionHandler
        WLRegistrationStore | load()>? save(_:)
        WLResourceRequest | +WLHttpMethodDelete +WLHttpMethodGet +WLHttpMethodPost +WLHttpMethodPut addHeaderValue(_:forName:) addHeaderValue(value:forName:) backendServiceName>? client>WLClient description download(to:=options:=observer:) getQueryString()>? header(forName:)>? headerNames()>? headers>? headers(forName:)>? httpMethod>? init(url:method:backendServiceName:=timeout:)>? init(url:method:scope:timeout:backendServiceName:client:) init(url:method:=timeout:=scope:)>? queryParameters>? removeHeaders(forName:) scope>? send(_:=completionHandler:)>WLCall send(=completionHandler:)>WLCall send(=observer:)>WLResponse send(=observer:as:) send(=onCompletion:)>WLCall send(=responseQueue:withDelegate:)>WLCall send(with:=responseQueue:)>WLCall send(withBody:=completionHandler:)>WLCall send(withBody:delegate:=responseQueue:)>WLCall send(withBody:=observer:)>WLResponse send(withBody:=onCompletion:)>WLCall send(withBody:responseQueue:=completionHandler:)>WLCall send(withBody:responseQueue:delegate:)>WLCall send(withBody:responseQueue:=onCompletion:)>WLCall send(withData:=completionHandler:)>WLCall send(withData:delegate:=responseQueue:)>WLCall send(withData:=observer:)>WLResponse send(withData:=onCompletion:)>WLCall send(withData:responseQueue:=completionHandler:)>WLCall send(withData:responseQueue:delegate:)>WLCall send(withData:responseQueue:=onCompletion:)>WLCall send(withFormParameters:=completionHandler:)>WLCall send(withFormParameters:delegate:=responseQueue:)>WLCall send(withFormParameters:=observer:)>WLResponse send(withFormParameters:=onCompletion:)>WLCall send(withFormParameters:responseQueue:=completionHandler:)>WLCall send(withFormParameters:responseQueue:delegate:)>WLCall send(withFormParameters:responseQueue:=onCompletion:)>WLCall send(withJSON:=completionHandler:)>WLCall send(withJSON:delegate:=responseQueue:)>WLCall send(withJSON:=observer:)>WLResponse send(withJSON:=onCompletion:)>WLCall send(withJSON:responseQueue:=completionHandler:)>WLCall send(withJSON:responseQueue:delegate:)>WLCall send(withJSON:responseQueue:=onCompletion:)>WLCall send(withQueue:=onCompletion:)>WLCall setHeaderValue(_:forName:) setHeaderValue(value:forName:) setQueryParameterValue(_:forName:) setQueryParameterValue(parameterValue:forName:) stream(=observer:) stringEncoding timeoutInterval upload(fromFile:=observer:)>WLResponse url>?
        WLResourceRequestSwift : WLResourceRequest | getQueryString() header(forName:) headerNames() headers(forName:) init(URL:method:backendServiceName:_:) init(URL:method:backendServiceName:=timeout:) init(URL:method:=timeout:=scope:) init(url:method:backendServiceName:_:) init(url:method:backendServiceName:=timeout:) init(url:method:=timeout:=scope:)
        WLResponse | customMirror decode(_:) description error>? getResponseJson()>? headers>? httpResponse>? init() init(_:=error:=invocationContext:) invocationContext>? invocationResult>? responseData>? responseJSON>? responseText>? status userInfoDict>?
        WLResponseSwift = WLResponse
        WLTimeoutUnit | milliseconds seconds
        WL_DEFAULT_ACCESS_TOKEN_SCOPE
        ~ GatewayChallengeHandler.isCustomResponse(_:) | canHandleResponse(_:)
        ~ GatewayChallengeHandler.submitFailure(_:) | cancel()
        = HTTPCookieStorage() | MobileFirst.md#source-differences | returns a CookieJar, not an HTTPCookieStorage
        - JSONStore | MobileFirst.md#source-differences | not part of the module; keep documents in a store, and take over what is on the device as above
        - JSONStoreCollection | MobileFirst.md#source-differences | not part of the module; keep documents in a store, and take over what is on the device as above
        - JSONStoreOpenOptions | MobileFirst.md#source-differences | not part of the module; keep documents in a store, and take over what is on the device as above
        - JSONStoreQueryPart | MobileFirst.md#source-differences | not part of the module; keep documents in a store, and take over what is on the device as above
        - MFPPush | MobileFirst.md#source-differences | not part of the module; use the system's push notifications
        - OCLogger | MobileFirst.md#source-differences | not part of the module; log with the system's logger, and see Monitoring for requests
        ~ SecurityCheckChallengeHandler.submitAnswer(_:) | submitChallengeAnswer(_:)
        ~ SecurityCheckChallengeHandler.submitChallengeResponse(_:) | submitChallengeAnswer(_:)
        ~ SecurityCheckChallengeHandler.submitFailure(_:) | cancel()
        - WLAnalytics | MobileFirst.md#source-differences | not part of the module; log with the system's logger, and see Monitoring for requests
        ~ WLAuthorizationManager.getInstance() | sharedInstance()
        ~ WLAuthorizationManager.login(_:credentials:completionHandler:) | login(_:withCredentials:withCompletionHandler:)
        ~ WLAuthorizationManager.logout(_:completionHandler:) | logout(_:withCompletionHandler:)
        ~ WLAuthorizationManager.obtainAccessToken(_:completionHandler:) | obtainAccessToken(forScope:withCompletionHandler:)
        - WLAuthorizationManager.obtainAuthorizationHeader(forScope:completionHandler:) | | call 'obtainAccessToken', and use 'asAuthorizationRequestHeaderField' of the token
        ~ WLAuthorizationManager.setAuthorizationServerUrl(_:) | setAuthorizationServerURL(_:)
        ~ WLAuthorizationManager.shared | sharedInstance()
        = WLChallengeHandler | MobileFirst.md#source-differences | subclass GatewayChallengeHandler or SecurityCheckChallengeHandler
        ~ WLClient.addGlobalHeader(_:value:) | addGlobalHeader(_:headerValue:)
        ~ WLClient.getChallengeHandler(securityCheck:) | getChallengeHandler(bySecurityCheck:)
        ~ WLClient.getInstance() | sharedInstance()
        ~ WLClient.getSecurityCheckChallengeHandler(_:) | getChallengeHandler(bySecurityCheck:)
        ~ WLClient.init() | sharedInstance()
        ~ WLClient.pinTrustedCertificatePublicKey(_:) | pinTrustedCertificatePublicKey(certificateFilename:)
        ~ WLClient.serverURL | serverUrl()
        ~ WLClient.setHeartbeatInterval(_:) | setHeartBeatInterval(_:)
        ~ WLClient.setServerURL(_:) | setServerUrl(_:)
        ~ WLClient.shared | sharedInstance()
        ~ WLFailResponse.errorMessage | errorMsg
        ~ WLFailResponse.getErrorCode() | errorCode
        ~ WLFailResponse.getErrorMsg() | errorMsg
        - WLPush | MobileFirst.md#source-differences | not part of the module; use the system's push notifications
        ~ WLResourceRequest.DELETE | WLHttpMethodDelete
        ~ WLResourceRequest.GET | WLHttpMethodGet
        ~ WLResourceRequest.POST | WLHttpMethodPost
        ~ WLResourceRequest.PUT | WLHttpMethodPut
        - WLResourceRequest.abort() | | call 'cancel()' on the WLCall that send returns
        ~ WLResourceRequest.addHeader(_:forName:) | addHeaderValue(_:forName:)
        ~ WLResourceRequest.addHeader(name:value:) | addHeaderValue(_:forName:)
        ~ WLResourceRequest.addValue(_:forHTTPHeaderField:) | addHeaderValue(_:forName:)
        - WLResourceRequest.cancel() | | call 'cancel()' on the WLCall that send returns
        ~ WLResourceRequest.getHeaders() | headers
        ~ WLResourceRequest.getMethod() | httpMethod
        ~ WLResourceRequest.getQueryParameters() | queryParameters
        ~ WLResourceRequest.getTimeout() | timeoutInterval
        ~ WLResourceRequest.method | httpMethod
        ~ WLResourceRequest.queryString | getQueryString()
        ~ WLResourceRequest.removeHeader(forName:) | removeHeaders(forName:)
        ~ WLResourceRequest.send(body:completionHandler:) | send(withBody:completionHandler:)
        ~ WLResourceRequest.send(json:completionHandler:) | send(withJSON:completionHandler:)
        ~ WLResourceRequest.send(onQueue:completionHandler:) | send(_:completionHandler:)
        ~ WLResourceRequest.sendFormParameters(_:completionHandler:) | send(withFormParameters:completionHandler:)
        ~ WLResourceRequest.sendWithBody(_:completionHandler:) | send(withBody:completionHandler:)
        ~ WLResourceRequest.sendWithCompletionHandler(_:) | send(completionHandler:)
        ~ WLResourceRequest.sendWithData(_:completionHandler:) | send(withData:completionHandler:)
        ~ WLResourceRequest.sendWithFormParameters(_:completionHandler:) | send(withFormParameters:completionHandler:)
        ~ WLResourceRequest.sendWithJSON(_:completionHandler:) | send(withJSON:completionHandler:)
        ~ WLResourceRequest.setHeader(_:forName:) | setHeaderValue(_:forName:)
        ~ WLResourceRequest.setQueryParameter(_:forName:) | setQueryParameterValue(_:forName:)
        ~ WLResourceRequest.setQueryParameter(name:value:) | setQueryParameterValue(_:forName:)
        - WLResourceRequest.setTimeout(_:) | | set 'timeoutInterval'; see there for its unit
        ~ WLResourceRequest.setValue(_:forHTTPHeaderField:) | setHeaderValue(_:forName:)
        ~ WLResponse.data | responseData
        ~ WLResponse.getHeaders() | headers
        ~ WLResponse.getResponseJSON() | responseJSON
        ~ WLResponse.getResponseText() | responseText
        ~ WLResponse.getStatus() | status
        ~ WLResponse.responseJson | responseJSON
        ~ WLResponse.statusCode | status
        = sendUrlRequest(_:) | MobileFirst.md#source-differences | send(request:delegate:)
        ! GatewayChallengeHandler.canHandle(_:) | WLResponse!
        ! GatewayChallengeHandler.canHandleResponse(_:) | WLResponse!
        ! GatewayChallengeHandler.handleChallenge(_:) | WLResponse!
        ! GatewayChallengeHandler.onFailure(_:) | WLFailResponse!
        ! GatewayChallengeHandler.onSuccess(_:) | WLResponse!
        ! GatewayChallengeHandler.submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:) | String!, [AnyHashable : Any]!, [AnyHashable : Any]!, Int32, String!
        ! GatewayChallengeHandler.submitSuccess(_:) | WLResponse!
        ! GatewayChallengeHandlerSwift.canHandleResponse(_:) | WLResponse!
        ! GatewayChallengeHandlerSwift.canHandleResponse(response:) | WLResponse
        ! GatewayChallengeHandlerSwift.handleChallenge(_:) | WLResponse!
        ! GatewayChallengeHandlerSwift.handleChallenge(response:) | WLResponse
        ! GatewayChallengeHandlerSwift.onFailure(_:) | WLFailResponse!
        ! GatewayChallengeHandlerSwift.onFailure(failureResponse:) | WLFailResponse
        ! GatewayChallengeHandlerSwift.onSuccess(_:) | WLResponse!
        ! GatewayChallengeHandlerSwift.onSuccess(successResponse:) | WLResponse
        ! GatewayChallengeHandlerSwift.submitLoginForm(requestUrl:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:) | String, [AnyHashable : Any]?, [AnyHashable : Any]?, Int32, String?
        ! GatewayChallengeHandlerSwift.submitSuccess(response:) | WLResponse?
        ! SecurityCheckChallengeHandler.handleChallenge(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandler.handleFailure(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandler.handleSuccess(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandler.submitChallengeAnswer(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandlerSwift.handleChallenge(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandlerSwift.handleChallenge(challengeResponse:) | [AnyHashable : Any]
        ! SecurityCheckChallengeHandlerSwift.handleFailure(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandlerSwift.handleFailure(failureResponse:) | [AnyHashable : Any]
        ! SecurityCheckChallengeHandlerSwift.handleSuccess(_:) | [AnyHashable : Any]!
        ! SecurityCheckChallengeHandlerSwift.handleSuccess(successResponse:) | [AnyHashable : Any]
        ! SecurityCheckChallengeHandlerSwift.submitChallengeAnswer(answer:) | [AnyHashable : Any]?
        ! WLDelegate.onFailure(_:) | WLFailResponse!
        ! WLDelegate.onSuccess(_:) | WLResponse!
        + BaseChallengeHandler | cancel() handlerName init() init(name:)
        + GatewayChallengeHandler | canHandle(_:) canHandleResponse(_:) cancel() handleChallenge(_:) init() init(gatewayName:) init(name:) onFailure(_:) onSuccess(_:) submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:) submitSuccess(_:)
        + GatewayChallengeHandlerSwift | canHandleResponse(_:) canHandleResponse(response:) handleChallenge(_:) handleChallenge(response:) init(gatewayName:) onFailure(_:) onFailure(failureResponse:) onSuccess(_:) onSuccess(successResponse:) submitLoginForm(requestUrl:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:) submitSuccess(response:)
        + SecurityCheckChallengeHandler | cancel() handleChallenge(_:) handleFailure(_:) handleSuccess(_:) init() init(name:) init(securityCheck:) submitChallengeAnswer(_:)
        + SecurityCheckChallengeHandlerSwift | handleChallenge(_:) handleChallenge(challengeResponse:) handleFailure(_:) handleFailure(failureResponse:) handleSuccess(_:) handleSuccess(successResponse:) init(securityCheck:) submitChallengeAnswer(answer:)
        + WLFailResponse | clientErrorCode errorCode errorMsg getErrorMessage(from:) getErrorMessage(fromJSON:) getWLErrorCode(fromJSON:) init(_:error:invocationContext:)
        + WLResourceRequest | getQueryString() header(forName:) headerNames() headers(forName:) init(url:method:scope:timeout:backendServiceName:client:)
        + WLResourceRequestSwift | getQueryString() header(forName:) headerNames() headers(forName:) init(url:method:backendServiceName:timeout:) init(url:method:timeout:scope:)
        + WLResponse | getResponseJson() headers init(_:error:invocationContext:) invocationResult responseData responseJSON responseText status userInfoDict
        """#
}
