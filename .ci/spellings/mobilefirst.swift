import Dispatch
import Foundation
import MobileFirst

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The spellings of public samples and apps for version 8.0, with the vendor's names and no others.
// `.ci/check-mobilefirst-seed` compiles them in Swift 5 and 6. A line that no longer compiles breaks an app.

/// A screen, which is on the main actor as UIKit's are.
@MainActor
final class AccountScreen {
    var label: String?
    var isLoggedIn = false

    func load(_ url: URL?) {
        let request = WLResourceRequest(url: url, method: WLHttpMethodGet)
        request?.send { (response, error) -> Void in
            if error == nil {
                self.label = "Balance: " + (response?.responseText)!
            } else {
                self.label = (error?.localizedDescription)!
            }
        }
        request?.send(completionHandler: { (response, error) in
            guard let response = response else { return }
            if let text = response.responseText { self.label = text }
            self.label = response.responseJSON["balance"] as? String
            if let headers = response.headers { self.label = headers["X-Account"] as? String }
            if let data = response.responseData { self.label = String(decoding: data, as: UTF8.self) }
            self.label = error.debugDescription + String(response.status)
        })
    }

    func post(_ amount: String, to path: String) {
        guard let request = WLResourceRequest(url: URL(string: path), method: WLHttpMethodPost) else { return }
        let form: [AnyHashable: Any] = ["amount": amount]
        request.send(withFormParameters: form) { (response, error) in
            if let failure = response as? WLFailResponse { self.label = failure.errorMsg + failure.errorCode }
            self.label = response?.responseJSON["result"] as? String
        }
        request.send(withJSON: ["amount": amount]) { (response, error) in self.label = response?.responseText }
        request.send(withBody: amount) { (_, error) in self.label = (error as NSError?)?.domain }
        request.send(withData: Data(amount.utf8)) { (response, _) in self.label = response?.responseText }
    }

    func logIn(_ check: String?, _ credentials: [AnyHashable: Any]?) {
        WLAuthorizationManager.sharedInstance()?.login(check, withCredentials: credentials) { (error) -> Void in
            self.isLoggedIn = error == nil
        }
        WLAuthorizationManager.sharedInstance().logout(check) { (error) -> Void in self.isLoggedIn = false }
        WLAuthorizationManager.sharedInstance().obtainAccessToken(forScope: "account") { (token, error) -> Void in
            self.label = token?.value ?? (error! as NSError).localizedDescription
        }
        WLAuthorizationManager.sharedInstance()?.obtainAccessToken(
            forScope: nil,
            withCompletionHandler: { (token, error) in
                self.label = token?.asAuthorizationRequestHeaderField
            })
    }
}

/// A handler that registers itself.
class LoginHandler: SecurityCheckChallengeHandler {
    static let check = "UserLogin"
    var isChallenged = false
    var message: String?

    override init() {
        super.init(securityCheck: LoginHandler.check)
        WLClient.sharedInstance().registerChallengeHandler(self)
    }

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        isChallenged = true
        if challenge["errorMsg"] is NSNull { message = nil } else { message = challenge["errorMsg"] as? String }
        submitChallengeAnswer(["username": "ann", "password": securityCheck + "!"])
    }

    override func handleSuccess(_ success: [AnyHashable: Any]!) {
        isChallenged = false
        message = (success["user"] as? [String: Any])?["displayName"] as? String
    }

    override func handleFailure(_ failure: [AnyHashable: Any]!) {
        if let text = failure["failure"] as? String { message = text }
        cancel()
    }
}

/// A handler that is registered by its class.
class PinHandler: SecurityCheckChallengeHandler {
    static func registerSelf() {
        WLClient.sharedInstance().registerChallengeHandler(PinHandler(securityCheck: "PinCode"))
        let handler = PinHandler(securityCheck: "PinCode")
        WLClient.sharedInstance()?.registerChallengeHandler(handler)
        handler?.cancel()
    }

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        submitChallengeAnswer(["pin": challenge["remainingAttempts"] as! Int])
    }
}

class NamedHandler: BaseChallengeHandler {
    override init() { super.init(name: "other") }
}

/// The handler of a gateway, with the two names of its test.
class GatewayHandler: GatewayChallengeHandler {
    let gateway = "SSO"

    override init() { super.init(gatewayName: gateway) }

    override func canHandle(_ response: WLResponse!) -> Bool {
        if let text = response.responseText { return text.contains("login.form") }
        return false
    }

    override func handleChallenge(_ response: WLResponse!) { logIn("ann", "secret") }

    override func onSuccess(_ response: WLResponse!) { submitSuccess(response) }

    override func onFailure(_ response: WLFailResponse!) { cancel() }

    func logIn(_ user: String, _ password: String) {
        submitLoginForm(
            "../../login.form?token=Unknown", requestParameters: ["user": user, "password": password],
            requestHeaders: nil, requestTimeoutInMilliSeconds: 0, requestMethod: "POST")
    }

    func logOut() {
        submitLoginForm(
            "../../logout", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: 0,
            requestMethod: "POST")
    }
}

class OlderGatewayHandler: GatewayChallengeHandler {
    override func canHandleResponse(_ response: WLResponse!) -> Bool { response.responseText.contains("form") }
}

/// Requests, with each initializer and member.
func requests(_ url: URL, _ name: String?, _ value: NSObject?, _ timeout: Double) {
    var request: WLResourceRequest
    request = WLResourceRequest(url: url, method: "GET", timeout: timeout)
    request = WLResourceRequest(url: url, method: "GET", timeout: timeout, scope: name)
    request = WLResourceRequest(url: url, method: "GET", scope: name)
    request = WLResourceRequest(url: url, method: "GET", backendServiceName: name, timeout: timeout)
    request.queryParameters = ["a": "b"]
    request.setQueryParameterValue(name, forName: name)
    request.setHeaderValue(value, forName: name)
    request.setHeaderValue("v" as NSObject, forName: "X-Value")
    request.addHeaderValue(value, forName: "X-Value")
    request.removeHeaders(forName: name)
    request.headers = request.headers
    request.timeoutInterval = timeout
    request.stringEncoding = String.Encoding.utf8.rawValue
    var headers: [String: [Any]] = [:]
    for header in request.headers { headers[header.headerName] = request.headers(forName: header.headerName) }
    let texts: [String] = [
        request.url.absoluteString, request.httpMethod, request.scope, request.getQueryString(),
        request.header(forName: name),
    ]
    print(
        texts, request.headerNames() as Any, request.queryParameters["a"] as? String ?? "", Int(request.timeoutInterval)
    )
}

/// Delegates and queues, with the labels in the order of the vendor's header.
func deliveries(
    _ request: WLResourceRequest, _ delegate: any URLSessionDataDelegate, _ queue: DispatchQueue,
    _ form: [String: String]
) {
    request.send(with: delegate)
    request.send(with: delegate, responseQueue: queue)
    request.send(withBody: "a", delegate: delegate)
    request.send(withBody: "a", delegate: delegate, responseQueue: queue)
    request.send(withFormParameters: form, delegate: delegate)
    request.send(withFormParameters: form, delegate: delegate, responseQueue: queue)
    request.send(withJSON: form, delegate: delegate)
    request.send(withJSON: form, delegate: delegate, responseQueue: queue)
    request.send(withData: Data(), delegate: delegate)
    request.send(withData: Data(), delegate: delegate, responseQueue: queue)
    request.send(queue) { (response, error) in print(response?.status ?? 0, error.debugDescription) }
    request.send(queue, completionHandler: { (response, error) in print(response?.status ?? 0) })
    request.send(withBody: "a", responseQueue: queue) { (response, error) in print(response?.status ?? 0) }
    request.send(withFormParameters: form, responseQueue: queue) { (response, error) in print(response?.status ?? 0) }
    request.send(withJSON: form, responseQueue: queue) { (response, error) in print(response?.status ?? 0) }
    request.send(withData: Data(), responseQueue: queue) { (response, error) in print(response?.status ?? 0) }
}

/// The client's members.
func client(_ url: URL?, _ name: String?, _ interval: Int, _ files: [String]) {
    WLClient.sharedInstance()?.setServerUrl(url)
    let address: String = WLClient.sharedInstance()?.serverUrl()?.absoluteString ?? ""
    WLClient.sharedInstance().setServerUrl(WLClient.sharedInstance().serverUrl())
    WLClient.sharedInstance()?.setHeartBeatInterval(interval)
    WLClient.sharedInstance().setHeartBeatInterval(60)
    WLClient.sharedInstance()?.defaultRequestTimeoutInterval = 100
    WLClient.sharedInstance().addGlobalHeader(name, headerValue: name)
    WLClient.sharedInstance()?.removeGlobalHeader(name)
    WLClient.sharedInstance().setDeviceID(name)
    WLClient.sharedInstance()?.pinTrustedCertificatePublicKey(fromFile: files[0])
    WLClient.sharedInstance()?.pinTrustedCertificatePublicKey(fromFiles: files)
    WLClient.sharedInstance()?.setDeviceDisplayName(
        name, withCompletionHandler: { (error) -> Void in print(error as Any) })
    WLClient.sharedInstance()?.getDeviceDisplayName(completionHandler: { (name, error) -> Void in print(name ?? "") })
    let handler = WLClient.sharedInstance().getChallengeHandler(bySecurityCheck: name) as? LoginHandler
    let other = WLClient.sharedInstance().getAllChallengeHandlers()["UserLogin"] as? LoginHandler
    if let headers = WLClient.sharedInstance()?.getGlobalHeaders() { print(headers["X-Value"] ?? "") }
    print(address, handler?.isChallenged ?? false, other?.isChallenged ?? false)
}

/// The authorization manager's members, tokens and responses.
func tokens(_ number: NSNumber?, _ scope: String?, _ response: HTTPURLResponse) {
    WLAuthorizationManager.sharedInstance().setLoginTimeOut(number)
    WLAuthorizationManager.sharedInstance()?.setLoginTimeout(number)
    WLAuthorizationManager.sharedInstance().setLoginTimeOut(30)
    WLAuthorizationManager.sharedInstance().timeOut = 30
    WLAuthorizationManager.sharedInstance()?.authorizationServerURL = response.url
    let token = AccessToken(token: "t", withExpiration: 0, forScope: scope)
    WLAuthorizationManager.sharedInstance()?.clear(token)
    let manager = WLAuthorizationManager.sharedInstance()
    if manager?.isAuthorizationRequired(for: response) == true, let scope = manager?.resourceScope(from: response) {
        print(scope, manager?.resourceScope(fromResponseHeaders: response.allHeaderFields) ?? "")
    }
    let empty = WLResponse()
    print(manager?.isGatewayResponse(empty) ?? false, empty.responseText ?? "", empty.responseJSON as Any)
}

/// A delegate of the older calls.
class ConnectDelegate: WLDelegate {
    var text = ""
    func onSuccess(_ response: WLResponse!) { text = response.responseText }
    func onFailure(_ response: WLFailResponse!) { text = response.errorMsg }
}

/// The pure-Swift classes: nothing is optional.
@MainActor
final class SwiftScreen {
    var label = ""

    func load(_ url: URL, _ queue: DispatchQueue) {
        let request = WLResourceRequestSwift.init(url: url, method: WLResourceRequestSwift.WLHttpMethodGet)
        request.setHeaderValue(value: "v" as NSObject, forName: "X-Value")
        request.setQueryParameterValue(parameterValue: "v", forName: "name")
        request.send { (response, error) -> Void in self.label = (response?.responseText)! }
        request.send(onCompletion: { (response, error) in self.label = response!.responseText })
        request.send(withQueue: queue, onCompletion: { (response, error) in print(response?.status ?? 0) })
        let query = request.getQueryString(), header = request.header(forName: "X-Value")
        label = query + header + request.headers(forName: "X-Value").joined() + request.headerNames().joined()
        let scoped = WLResourceRequestSwift(url: url, method: "GET", timeout: 30, scope: "account")
        scoped.send(withBody: "a", onCompletion: { (response, error) in self.label = response?.responseText ?? "" })
        let client = WLClientSwift.sharedInstance()
        client.addGlobalHeader(headerName: "X-Value", headerValue: "v")
        client.registerChallengeHandler(challengeHandler: SwiftPinHandler(securityCheck: "PinCode"))
        client.setHeartBeatInterval(interval: 60)
        let manager = WLAuthorizationManagerSwift.sharedInstance()
        manager.logout(securityCheck: "PinCode", onCompletion: { error in self.label = "\(error as Any)" })
        manager.login(securityCheck: "PinCode", credentials: ["pin": "1"], onCompletion: { error in self.label = "" })
        manager.obtainAccessToken(
            forScope: "account", onCompletion: { token, error in self.label = token?.value ?? "" })
        manager.setLoginTimeOut(timeOut: 30)
    }
}

class SwiftPinHandler: SecurityCheckChallengeHandlerSwift {
    override func handleChallenge(challengeResponse: [AnyHashable: Any]) { submitChallengeAnswer(answer: ["pin": "1"]) }
    override func handleSuccess(successResponse: [AnyHashable: Any]) {}
    override func handleFailure(failureResponse: [AnyHashable: Any]) { cancel() }
}
