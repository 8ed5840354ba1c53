// Written by .ci/check-migrate --update; do not edit.
// swift-format-ignore-file

extension CatalogueText {
    /// Names of OracleCX.
    static let oracleCX = #"""
        vendor OracleCX
        guide OracleCX.md
        prefixes ORA
        imports OracleCX ORACore ORACXMobileSDK OracleCXMobileSDK ORAInfinity
        objc OracleCX.md#objective-c
        types OracleCX.md#names
        protocols ORAAppLifecycle
        .ErrorCode | +cancelled +damaged +file +invalidConfiguration +invalidKey +invalidModuleID +invalidRequest +invalidURL +invalidValue +parse +status +transport +unreadable +unsupportedURL +unwritable
        .ExponentialBackoff | +oracle
        GET : ORARequestType
        HTTPManager | add(_:)>ORAResponse add(_:=completionHandler:)>ORACall addRequest(_:)>ORAResponse addRequest(_:=completionHandler:)>ORACall +configureShared(=transport:=maximumConcurrentRequestsPerOrigin:=backoff:=maximumRetryAfter:=timeouts:=maximumResponseBytes:=settings:=lifecycle:) delivery download(_:to:=downloadOptions:=observer:) init(transport:=maximumConcurrentRequestsPerOrigin:=backoff:=maximumRetryAfter:=timeouts:=maximumResponseBytes:=settings:=lifecycle:=clock:) queue send(_:=observer:) send(_:=observer:as:) +shared()>ORAHTTPManager stream(_:=observer:) transport upload(_:fromFile:=observer:)
        Immediate : ORARequestPriority
        Normal : ORARequestPriority
        ORAAppLifecycle | beginBackgroundTask(=expirationHandler:) observe(=_:)
        ORAAppState | background foreground
        ORABaseDataContainer | getConfig(_:)>ORAConfigSetting? getModuleId()>? getValue(_:)>? init() init(store:) load(_:)>ORAConfigurationLoadResult load(contentsOf:)>ORAConfigurationLoadResult loadFromConfigFile() putValue(_:forKey:) setValue(_:for:) store>ORASettingsStore
        ORABooleanSetting : ORACoreConfigSetting | getDefaultValue()>? isValid(_:)
        ORACall
        ORAConfigHTTPBackgroundTaskEnabled : ORABooleanSetting | keyDescription()>? keyName()>?
        ORAConfigHTTPThreadCount : ORACoreConfigSetting | getDefaultValue()>? isValid(_:) keyDescription()>? keyName()>?
        ORAConfigSetting | getDefaultValue()>? init() isValid(_:) keyDescription()>? keyName()>?
        ORAConfigurationError
        ORAConfigurationLoadResult | isApplied rejectedKeys
        ORACoreConfigSetting : ORAConfigSetting
        ORACoreDataContainer : ORABaseDataContainer | getConfig(_:)>ORAConfigSetting? getModuleId()>?
        ORAError | code errorCode +errorDomain failingURL>? message response>? underlying>?
        ORAHTTPManager = HTTPManager
        ORAManualLifecycle : ORAAppLifecycle | backgroundTaskCount beginBackgroundTask(=expirationHandler:) enterBackground() enterForeground() expireBackgroundTasks() init() observe(=_:)
        ORANotifiedLifecycle : ORAAppLifecycle | beginBackgroundTask(=expirationHandler:) init(=center:) observe(=_:)
        ORARequest | compression copy()>ORARequest description headers>? init() init(payload:) init(url:) +maximumRetryCount observer>? payload>? priority>ORARequestPriority priotity>ORARequestPriority requestBody>? requestTAG>? requestTag>? requestType>ORARequestType retryCount url>?
        ORARequestPriority | immediate normal
        ORARequestType | get post
        ORAResponse | data>? description error>? httpResponse>? requestTAG>? requestTag>? response>? statusCode>?
        ORASettingsError | code message underlying>?
        ORASettingsStore | +bundledConfiguration>? configuration>? file init(file:=configuration:) lastError>ORASettingsError? +shared>ORASettingsStore
        POST : ORARequestType
        ~ HTTPManager.addRequest(_:completion:) | addRequest(_:completionHandler:)
        ~ HTTPManager.addRequest(request:completionHandler:) | addRequest(_:completionHandler:)
        - HTTPManager.cancelAllRequests() | | call 'queue.cancelAll()', or 'cancel()' on the call that addRequest returns
        ~ HTTPManager.init() | shared()
        ~ HTTPManager.send(_:completionHandler:) | addRequest(_:completionHandler:)
        ~ HTTPManager.sendRequest(_:completionHandler:) | addRequest(_:completionHandler:)
        ~ HTTPManager.sharedInstance() | shared()
        ~ HTTPManager.sharedManager() | shared()
        ~ ORABaseDataContainer.getValue(forKey:) | getValue(_:)
        ~ ORABaseDataContainer.putValue(_:key:) | putValue(_:forKey:)
        ~ ORABaseDataContainer.setValue(_:forKey:) | putValue(_:forKey:)
        ~ ORABaseDataContainer.value(forKey:) | getValue(_:)
        - ORACoreDataCollector | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORACoreEventBuilder | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORACoreEventMeta | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORACoreWebViewDelegate | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORADBManager | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORAEventGroup | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORAEventListener | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORAEventListenerSpec | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORALogLevel | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORALogger | OracleCX.md#names | events are not part of the module; POST them as JSON, or leave them to another analytics SDK
        - ORARequest.addValue(_:forHTTPHeaderField:) | | set 'headers', a dictionary
        ~ ORARequest.allHTTPHeaderFields | headers
        ~ ORARequest.body | requestBody
        ~ ORARequest.httpBody | requestBody
        ~ ORARequest.httpMethod | requestType
        ~ ORARequest.init(URL:) | init(url:)
        - ORARequest.setValue(_:forHTTPHeaderField:) | | set 'headers', a dictionary
        ~ ORARequest.tag | requestTag
        - ORARequest.timeoutInterval | | set the timeouts of all requests once: ORAHTTPManager.configureShared(timeouts:)
        ~ ORARequestPriority.Immediate | immediate
        ~ ORARequestPriority.Normal | normal
        ~ ORARequestPriority.high | immediate
        ~ ORARequestType.GET | get
        ~ ORARequestType.POST | post
        - ORARequestType.delete | | the vendor's layer sends GET and POST only
        - ORARequestType.put | | the vendor's layer sends GET and POST only
        ~ ORAResponse.body | data
        ~ ORAResponse.exception | error
        ~ ORAResponse.responseCode | statusCode
        ~ ORAResponse.responseData | data
        ~ ORAResponse.tag | requestTag
        - ora_dc_http_connect_timeout_millis | OracleCX.md#not-included | ora_dc_http_connect_timeout_millis and ora_dc_http_read_timeout_millis have no effect: use
        - ora_dc_http_read_timeout_millis | OracleCX.md#not-included | ora_dc_http_connect_timeout_millis and ora_dc_http_read_timeout_millis have no effect: use
        + ORABaseDataContainer | getConfig(_:) getModuleId() init() init(store:)
        + ORAConfigSetting | getDefaultValue() init() isValid(_:) keyDescription() keyName()
        + ORACoreConfigSetting | getDefaultValue() isValid(_:)
        """#
}
