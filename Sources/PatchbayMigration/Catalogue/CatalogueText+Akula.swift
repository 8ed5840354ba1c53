// Written by .ci/check-migrate --update; do not edit.
// swift-format-ignore-file

extension CatalogueText {
    /// Names of Akula.
    static let akula = #"""
        vendor Akula
        guide Akula.md
        prefixes AK
        imports Akula AkulaClient AKAkula
        objc Akula.md#objective-c
        types Akula.md#names
        protocols AKHTTPBody AKHTTPResponseDelegate
        AKAppScope | baseURL begin(_:) deviceID>? end(=token:) init(_:=clock:) init(=clock:) initialize(_:) session>AKSession? +shared>AKAppScope
        AKCall
        AKConfigurationError
        AKDataHTTPBody : AKHTTPBody | init(data:=contentType:) requestBody()
        AKError | code errorCode +errorDomain errorUserInfo failingURL>? message response>AKHTTPResponse? serverError>AKServerError? statusCode>? underlying>?
        AKHTTPAgent = HTTPAgent
        AKHTTPBody | requestBody()
        AKHTTPRequestData | addHeader(_:value:) addQueryParameter(_:value:) bodyData>AKHTTPBody? clearHeaders() clearQueryParameters() init() removeHeader(_:) removeQueryParameter(_:)
        AKHTTPRequestOptions | idleTimeout>? init(=timeout:=idleTimeout:=totalTimeout:=maximumResponseBytes:) maximumResponseBytes timeout totalTimeout>?
        AKHTTPResponse | data decode(_:) description headers httpResponse isSuccess json()>? status statusCode text
        AKHTTPResponseDelegate | responseDidFail(_:response:) responseDidSucceed(_:statusCode:) responseDone()
        AKHTTPResponseHandler : AKHTTPResponseDelegate | init() onDone>() responseDidFail(_:response:) responseDidSucceed(_:statusCode:) responseDone()
        AKJSONHTTPBody : AKHTTPBody | init(_:) init(encoding:) init(object:) requestBody()
        AKJSONHTTPResponseHandler : AKHTTPResponseDelegate AKHTTPResponseHandler | onArray>() onFailure>() onObject>() responseDidFail(_:object:) responseDidFail(_:response:) responseDidSucceed(_:statusCode:) responseDidSucceed(array:statusCode:) responseDidSucceed(object:statusCode:)
        AKRawHTTPResponseHandler : AKHTTPResponseDelegate AKHTTPResponseHandler | onFailure>() onSuccess>() responseDidFail(_:response:) responseDidSucceed(_:statusCode:)
        AKServerAgent = ServerAgent
        AKServerError | cause>? code description information>? init(_:)>? msg>? numericCode>? stackTrace>? text transaction>?
        AKSession | +current>AKSession? description init(token:=timeout:=user:) +login(principal:secret:=observer:)>AKSession +login(principal:secret:=observer:=completion:)>AKCall +login(principal:secret:=observer:delegate:)>AKCall +loginSync(principal:secret:=observer:)>AKSession +logout(=observer:) +logout(=observer:=completion:)>AKCall +logout(=observer:delegate:)>AKCall +logoutSync(=observer:) timeout>? token user>?
        AKTextHTTPBody : AKHTTPBody | init(string:) requestBody()
        AKTextHTTPResponseHandler : AKHTTPResponseDelegate AKHTTPResponseHandler | onFailure>() onSuccess>() responseDidFail(_:response:) responseDidFail(_:text:) responseDidSucceed(_:statusCode:) responseDidSucceed(text:statusCode:)
        .ErrorCode | +cancelled +configuration +file +invalidRequest +parse +status +transport
        HTTPAgent | +configure(transport:) delete(_:=requestData:=options:=observer:)>AKHTTPResponse delete(_:=requestData:=options:=observer:as:) delete(_:=requestData:=options:=observer:as:=completion:)>AKCall delete(_:=requestData:=options:=observer:=completion:)>AKCall delete(_:=requestData:=options:=observer:delegate:)>AKCall deleteSync(_:=requestData:=options:=observer:)>AKHTTPResponse deleteSync(_:=requestData:=options:=observer:error:)>AKHTTPResponse? delivery download(_:to:=requestData:=options:=downloadOptions:=observer:) get(_:=requestData:=options:=observer:)>AKHTTPResponse get(_:=requestData:=options:=observer:as:) get(_:=requestData:=options:=observer:as:=completion:)>AKCall get(_:=requestData:=options:=observer:=completion:)>AKCall get(_:=requestData:=options:=observer:delegate:)>AKCall getSync(_:=requestData:=options:=observer:)>AKHTTPResponse getSync(_:=requestData:=options:=observer:error:)>AKHTTPResponse? init() init(transport:) post(_:=requestData:=options:=observer:)>AKHTTPResponse post(_:=requestData:=options:=observer:as:) post(_:=requestData:=options:=observer:as:=completion:)>AKCall post(_:=requestData:=options:=observer:=completion:)>AKCall post(_:=requestData:=options:=observer:delegate:)>AKCall postSync(_:=requestData:=options:=observer:)>AKHTTPResponse postSync(_:=requestData:=options:=observer:error:)>AKHTTPResponse? prepare(_:) put(_:=requestData:=options:=observer:)>AKHTTPResponse put(_:=requestData:=options:=observer:as:) put(_:=requestData:=options:=observer:as:=completion:)>AKCall put(_:=requestData:=options:=observer:=completion:)>AKCall put(_:=requestData:=options:=observer:delegate:)>AKCall putSync(_:=requestData:=options:=observer:)>AKHTTPResponse putSync(_:=requestData:=options:=observer:error:)>AKHTTPResponse? requestData>AKHTTPRequestData stream(_:_:=requestData:=options:=observer:) transport upload(_:_:fromFile:=requestData:=options:=observer:)>AKHTTPResponse url(for:)
        .RedirectPolicy | +akula
        .RequestBody | requestBody()
        ServerAgent : HTTPAgent | init(transport:) init(transport:scope:) +initialize(_:) login(principal:secret:=observer:)>AKSession login(principal:secret:=observer:=completion:)>AKCall login(principal:secret:=observer:delegate:)>AKCall loginSync(principal:secret:=observer:)>AKSession logout(=observer:) logout(=observer:=completion:)>AKCall logout(=observer:delegate:)>AKCall logoutSync(=observer:) prepare(_:) scope>AKAppScope url(for:)
        ~ AKError.httpStatus | statusCode
        ~ AKHTTPRequestData.addParameter(_:value:) | addQueryParameter(_:value:)
        ~ AKHTTPRequestData.addURLParameter(_:value:) | addQueryParameter(_:value:)
        ~ AKHTTPRequestData.body | bodyData
        - AKHTTPRequestData.setBodyData(_:) | | set the property 'bodyData'
        ~ AKHTTPRequestData.setHeader(_:value:) | addHeader(_:value:)
        ~ AKHTTPResponse.allHeaderFields | headers
        ~ AKHTTPResponse.body | data
        ~ AKHTTPResponseHandler.onComplete | onDone
        ~ AKHttpAgent | AKHTTPAgent
        ~ AKHttpBody | AKHTTPBody
        ~ AKHttpRequestData | AKHTTPRequestData
        ~ AKHttpResponseHandler | AKHTTPResponseDelegate
        - AKJSONHTTPResponseHandler.onSuccess | | set 'onObject' and 'onArray'
        ~ AKJsonHttpBody | AKJSONHTTPBody
        ~ AKJsonHttpResponseHandler | AKJSONHTTPResponseHandler
        ~ AKRawHttpResponseHandler | AKRawHTTPResponseHandler
        ~ AKTextHttpResponseHandler | AKTextHTTPResponseHandler
        - AKTransactionServerAgent | | send the calls with an AKServerAgent, or by an Outbox, which sends them once, also after a restart
        - AKTransactionStatus | | send the calls with an AKServerAgent, or by an Outbox, which sends them once, also after a restart
        ~ HTTPAgent.del(_:requestData:delegate:) | delete(_:requestData:options:observer:delegate:)
        ~ HTTPAgent.getAgentRequestData() | requestData
        - ServerAgent.init(_:) | | call AKServerAgent.initialize(_:) with the base URL once, then use AKServerAgent()
        - ServerAgent.init(baseURL:) | | call AKServerAgent.initialize(_:) with the base URL once, then use AKServerAgent()
        ~ ServerAgent.initialize(baseURL:) | initialize(_:)
        ! AKHTTPResponseDelegate.responseDidFail(_:response:) | AKError, AKHTTPResponse?
        ! AKHTTPResponseDelegate.responseDidSucceed(_:statusCode:) | AKHTTPResponse, Int
        ! AKHTTPResponseHandler.responseDidFail(_:response:) | AKError, AKHTTPResponse?
        ! AKHTTPResponseHandler.responseDidSucceed(_:statusCode:) | AKHTTPResponse, Int
        ! AKJSONHTTPResponseHandler.responseDidFail(_:object:) | AKError, Any?
        ! AKJSONHTTPResponseHandler.responseDidFail(_:response:) | AKError, AKHTTPResponse?
        ! AKJSONHTTPResponseHandler.responseDidSucceed(_:statusCode:) | AKHTTPResponse, Int
        ! AKJSONHTTPResponseHandler.responseDidSucceed(array:statusCode:) | [Any], Int
        ! AKJSONHTTPResponseHandler.responseDidSucceed(object:statusCode:) | [String : Any]?, Int
        ! AKRawHTTPResponseHandler.responseDidFail(_:response:) | AKError, AKHTTPResponse?
        ! AKRawHTTPResponseHandler.responseDidSucceed(_:statusCode:) | AKHTTPResponse, Int
        ! AKTextHTTPResponseHandler.responseDidFail(_:response:) | AKError, AKHTTPResponse?
        ! AKTextHTTPResponseHandler.responseDidFail(_:text:) | AKError, String?
        ! AKTextHTTPResponseHandler.responseDidSucceed(_:statusCode:) | AKHTTPResponse, Int
        ! AKTextHTTPResponseHandler.responseDidSucceed(text:statusCode:) | String, Int
        + AKHTTPResponseHandler | init() responseDidFail(_:response:) responseDidSucceed(_:statusCode:) responseDone()
        + AKJSONHTTPResponseHandler | responseDidFail(_:object:) responseDidSucceed(array:statusCode:) responseDidSucceed(object:statusCode:)
        + AKRawHTTPResponseHandler | responseDidFail(_:response:) responseDidSucceed(_:statusCode:)
        + AKTextHTTPResponseHandler | responseDidFail(_:text:) responseDidSucceed(text:statusCode:)
        + HTTPAgent | init(transport:) prepare(_:) url(for:)
        + ServerAgent | init(transport:scope:) prepare(_:) url(for:)
        """#
}
