public import Dispatch
public import Foundation

// Names from the Objective-C, Android and JavaScript clients, version 7, and URLSession. Each is a compile error with
// the correct name.

extension WLResourceRequest {
    /// The tutorial's prose.
    @available(*, unavailable, renamed: "setQueryParameterValue(_:forName:)")
    public func setQueryParameter(_ value: Any?, forName name: String) {}
    /// Android's name.
    @available(*, unavailable, renamed: "setQueryParameterValue(_:forName:)")
    public func setQueryParameter(name: String, value: Any?) {}
    /// Android's name.
    @available(*, unavailable, renamed: "queryParameters")
    public func getQueryParameters() -> [AnyHashable: Any] { queryParameters }
    /// Another name.
    @available(*, unavailable, renamed: "getQueryString()")
    public var queryString: String { getQueryString() }
    /// Android's name.
    @available(*, unavailable, renamed: "addHeaderValue(_:forName:)")
    public func addHeader(_ value: Any?, forName name: String) {}
    /// Android's name.
    @available(*, unavailable, renamed: "addHeaderValue(_:forName:)")
    public func addHeader(name: String, value: Any?) {}
    /// Another name.
    @available(*, unavailable, renamed: "setHeaderValue(_:forName:)")
    public func setHeader(_ value: Any?, forName name: String) {}
    /// URLRequest's method.
    @available(*, unavailable, renamed: "setHeaderValue(_:forName:)")
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    /// URLRequest's method.
    @available(*, unavailable, renamed: "addHeaderValue(_:forName:)")
    public func addValue(_ value: String, forHTTPHeaderField field: String) {}
    /// Another name.
    @available(*, unavailable, renamed: "removeHeaders(forName:)")
    public func removeHeader(forName name: String) {}
    /// Android's name.
    @available(*, unavailable, renamed: "headers")
    public func getHeaders() -> [WLHeader] { headers }
    /// Android's name.
    @available(*, unavailable, renamed: "httpMethod")
    public func getMethod() -> String! { httpMethod }
    /// Another name.
    @available(*, unavailable, renamed: "httpMethod")
    public var method: String! { httpMethod }
    /// Android's name.
    @available(*, unavailable, message: "set 'timeoutInterval'; see there for its unit")
    public func setTimeout(_ timeout: TimeInterval) {}
    /// Android's name.
    @available(*, unavailable, renamed: "timeoutInterval")
    public func getTimeout() -> TimeInterval { timeoutInterval }
    /// The vendor's header has it in a comment.
    @available(*, unavailable, message: "call 'cancel()' on the WLCall that send returns")
    public func abort() {}
    /// URLSession's name.
    @available(*, unavailable, message: "call 'cancel()' on the WLCall that send returns")
    public func cancel() {}
    /// Objective-C's name.
    @available(*, unavailable, renamed: "send(completionHandler:)")
    public func sendWithCompletionHandler(_ completionHandler: @escaping WLCompletionHandler) {}
    /// Objective-C's name.
    @available(*, unavailable, renamed: "send(withBody:completionHandler:)")
    public func sendWithBody(_ body: String, completionHandler: @escaping WLCompletionHandler) {}
    /// Objective-C's name.
    @available(*, unavailable, renamed: "send(withFormParameters:completionHandler:)")
    public func sendWithFormParameters(_ body: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler) {}
    /// JavaScript's name.
    @available(*, unavailable, renamed: "send(withFormParameters:completionHandler:)")
    public func sendFormParameters(_ body: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler) {}
    /// Objective-C's name.
    @available(*, unavailable, renamed: "send(withJSON:completionHandler:)")
    public func sendWithJSON(_ body: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler) {}
    /// Objective-C's name.
    @available(*, unavailable, renamed: "send(withData:completionHandler:)")
    public func sendWithData(_ body: Data, completionHandler: @escaping WLCompletionHandler) {}
    /// Another label.
    @available(*, unavailable, renamed: "send(withBody:completionHandler:)")
    public func send(body: String, completionHandler: @escaping WLCompletionHandler) {}
    /// Another label.
    @available(*, unavailable, renamed: "send(withJSON:completionHandler:)")
    public func send(json: [AnyHashable: Any], completionHandler: @escaping WLCompletionHandler) {}
    /// Another label.
    @available(*, unavailable, renamed: "send(_:completionHandler:)")
    public func send(onQueue queue: DispatchQueue, completionHandler: @escaping WLCompletionHandler) {}
    /// Android's name.
    @available(*, unavailable, renamed: "WLHttpMethodGet")
    public static var GET: String { WLHttpMethodGet }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Android's name.
    @available(*, unavailable, renamed: "WLHttpMethodPost")
    public static var POST: String { WLHttpMethodPost }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Android's name.
    @available(*, unavailable, renamed: "WLHttpMethodPut")
    public static var PUT: String { WLHttpMethodPut }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Android's name.
    @available(*, unavailable, renamed: "WLHttpMethodDelete")
    public static var DELETE: String { WLHttpMethodDelete }  // swift-format-ignore: AlwaysUseLowerCamelCase
}

extension WLResponse {
    /// URLSession's name.
    @available(*, unavailable, renamed: "status")
    public var statusCode: Int { status }
    /// Android's name.
    @available(*, unavailable, renamed: "status")
    public func getStatus() -> Int { status }
    /// Android's name.
    @available(*, unavailable, renamed: "responseText")
    public func getResponseText() -> String { responseText }
    /// Android's name.
    @available(*, unavailable, renamed: "responseJSON")
    public func getResponseJSON() -> [AnyHashable: Any]? { responseJSON }
    /// Another spelling.
    @available(*, unavailable, renamed: "responseJSON")
    public var responseJson: [AnyHashable: Any]? { responseJSON }
    /// Android's name.
    @available(*, unavailable, renamed: "headers")
    public func getHeaders() -> [AnyHashable: Any]? { headers }
    /// Another name.
    @available(*, unavailable, renamed: "responseData")
    public var data: Data? { responseData }
}

extension WLFailResponse {
    /// Android's name.
    @available(*, unavailable, renamed: "errorMsg")
    public func getErrorMsg() -> String? { errorMsg }
    /// Another name.
    @available(*, unavailable, renamed: "errorMsg")
    public var errorMessage: String? { errorMsg }
    /// Android's name.
    @available(*, unavailable, renamed: "errorCode")
    public func getErrorCode() -> String? { errorCode }
}

extension WLClient {
    /// The client is a singleton.
    @available(*, unavailable, renamed: "sharedInstance()")
    public convenience init() { self.init(WLConfiguration(serverURL: "")) }
    /// Another name.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static var shared: WLClient { sharedInstance() }
    /// Android's name.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static func getInstance() -> WLClient { sharedInstance() }
    /// Another spelling.
    @available(*, unavailable, renamed: "setServerUrl(_:)")
    public func setServerURL(_ url: URL?) {}
    /// Another name.
    @available(*, unavailable, renamed: "serverUrl()")
    public var serverURL: URL? { serverUrl() }
    /// Another label.
    @available(*, unavailable, renamed: "addGlobalHeader(_:headerValue:)")
    public func addGlobalHeader(_ name: String, value: String) {}
    /// Another spelling.
    @available(*, unavailable, renamed: "setHeartBeatInterval(_:)")
    public func setHeartbeatInterval(_ interval: TimeInterval) {}
    /// Another label.
    @available(*, unavailable, renamed: "getChallengeHandler(bySecurityCheck:)")
    public func getChallengeHandler(securityCheck name: String) -> SecurityCheckChallengeHandler? { nil }
    /// Android's name.
    @available(*, unavailable, renamed: "getChallengeHandler(bySecurityCheck:)")
    public func getSecurityCheckChallengeHandler(_ name: String) -> SecurityCheckChallengeHandler? { nil }
    /// Android's name.
    @available(*, unavailable, renamed: "pinTrustedCertificatePublicKey(certificateFilename:)")
    public func pinTrustedCertificatePublicKey(_ certificateFilename: String) {}
}

extension WLAuthorizationManager {
    /// Another name.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static var shared: WLAuthorizationManager { sharedInstance() }
    /// Android's name.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static func getInstance() -> WLAuthorizationManager { sharedInstance() }
    /// Another label.
    @available(*, unavailable, renamed: "obtainAccessToken(forScope:withCompletionHandler:)")
    public func obtainAccessToken(_ scope: String?, completionHandler: @escaping (AccessToken?, (any Error)?) -> Void) {
    }
    /// Version 7's name.
    @available(
        *, unavailable, message: "call 'obtainAccessToken', and use 'asAuthorizationRequestHeaderField' of the token"
    )
    public func obtainAuthorizationHeader(
        forScope scope: String?, completionHandler: @escaping (AccessToken?, (any Error)?) -> Void
    ) {}
    /// Another label.
    @available(*, unavailable, renamed: "login(_:withCredentials:withCompletionHandler:)")
    public func login(
        _ securityCheck: String, credentials: [AnyHashable: Any]?, completionHandler: @escaping ((any Error)?) -> Void
    ) {}
    /// Another label.
    @available(*, unavailable, renamed: "logout(_:withCompletionHandler:)")
    public func logout(_ securityCheck: String, completionHandler: @escaping ((any Error)?) -> Void) {}
    /// Another spelling.
    @available(*, unavailable, renamed: "setAuthorizationServerURL(_:)")
    public func setAuthorizationServerUrl(_ url: URL?) {}
}

extension SecurityCheckChallengeHandler {
    /// Version 7's name.
    @available(*, unavailable, renamed: "submitChallengeAnswer(_:)")
    public func submitAnswer(_ credential: [AnyHashable: Any]?) {}
    /// Version 7's name.
    @available(*, unavailable, renamed: "cancel()")
    public func submitFailure(_ failure: [AnyHashable: Any]?) {}
    /// Another name.
    @available(*, unavailable, renamed: "submitChallengeAnswer(_:)")
    public func submitChallengeResponse(_ credential: [AnyHashable: Any]?) {}
}

extension GatewayChallengeHandler {
    /// Version 7's name.
    @available(*, unavailable, renamed: "canHandleResponse(_:)")
    public func isCustomResponse(_ response: WLResponse!) -> Bool { false }
    /// Version 7's name.
    @available(*, unavailable, renamed: "cancel()")
    public func submitFailure(_ response: WLResponse?) {}
}
