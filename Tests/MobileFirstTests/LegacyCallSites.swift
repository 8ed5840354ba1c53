import Foundation
import MobileFirst

// Code of an old app: only the vendor's names, and no imports but MobileFirst and Foundation. The test is that this
// file compiles; LegacyCallSiteTests runs it.

/// The screen of an app on the imported Objective-C classes.
final class BalanceScreen {
    private(set) var text = ""

    func load(done: @escaping () -> Void) {
        let request = WLResourceRequest(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
        request?.setQueryParameterValue("42", forName: "account")
        request?.setHeaderValue("de" as NSString, forName: "Accept-Language")
        request?.send { (response, error) -> Void in
            if error == nil {
                self.text = (response?.responseJSON?["queryString"] as? String) ?? ""
            } else {
                self.text = error!.localizedDescription
            }
            done()
        }
    }
}

/// The PIN handler of an app on the imported Objective-C classes.
final class PinCodeChallengeHandler: SecurityCheckChallengeHandler {
    static let securityCheck = "PinCode"
    private(set) var remainingAttempts = 0

    override init() { super.init(securityCheck: PinCodeChallengeHandler.securityCheck) }

    override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        if challenge["errorMsg"] is NSNull { remainingAttempts = challenge["remainingAttempts"] as! Int }
        submitChallengeAnswer(["pin": "1234"])
    }

    override func handleFailure(_ failure: [AnyHashable: Any]!) {}
}

/// The session of an app on the pure-Swift classes.
final class Session {
    func logIn(done: @escaping ((any Error)?) -> Void) {
        WLAuthorizationManagerSwift.sharedInstance().login(
            securityCheck: "PinCode", credentials: ["pin": "1234"],
            onCompletion: { error in
                done(error)
            })
    }

    func load(done: @escaping (String) -> Void) {
        let request = WLResourceRequestSwift(
            url: URL(string: "/adapters/Js/add")!, method: WLResourceRequestSwift.WLHttpMethodPost, timeout: 30,
            scope: "RegisteredClient")
        request.setQueryParameterValue(parameterValue: "1", forName: "q")
        request.setHeaderValue(value: NSString(string: "1"), forName: "X-One")
        request.send(
            withFormParameters: ["params": "['value1']"],
            onCompletion: { (response, error) in
                done(response?.responseText ?? "\(error!)")
            })
    }
}
