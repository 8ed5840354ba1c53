/// ``GatewayChallengeHandler`` with the labels of the vendor's pure-Swift class, for overriding.
open class GatewayChallengeHandlerSwift: GatewayChallengeHandler {
    /// Creates a handler.
    public override init(gatewayName: String!) { super.init(gatewayName: gatewayName) }

    /// ``GatewayChallengeHandler/canHandleResponse(_:)`` with a label; override this one.
    open func canHandleResponse(response: WLResponse) -> Bool { false }
    /// ``GatewayChallengeHandler/handleChallenge(_:)`` with a label; override this one.
    open func handleChallenge(response: WLResponse) {}
    /// ``GatewayChallengeHandler/onSuccess(_:)`` with a label; override this one.
    open func onSuccess(successResponse: WLResponse) {}
    /// ``GatewayChallengeHandler/onFailure(_:)`` with a label; override this one.
    open func onFailure(failureResponse: WLFailResponse) {}
    /// ``GatewayChallengeHandler/submitSuccess(_:)`` with a label.
    open func submitSuccess(response: WLResponse?) { submitSuccess(response) }
    /// ``GatewayChallengeHandler/submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:)``
    /// with a label.
    open func submitLoginForm(
        requestUrl: String, requestParameters: [AnyHashable: Any]?, requestHeaders: [AnyHashable: Any]?,
        requestTimeoutInMilliSeconds: Int32, requestMethod: String? = nil
    ) {
        submitLoginForm(
            requestUrl, requestParameters: requestParameters, requestHeaders: requestHeaders,
            requestTimeoutInMilliSeconds: requestTimeoutInMilliSeconds, requestMethod: requestMethod)
    }

    /// Calls ``canHandleResponse(response:)``.
    open override func canHandleResponse(_ response: WLResponse!) -> Bool { canHandleResponse(response: response) }
    /// Calls ``handleChallenge(response:)``.
    open override func handleChallenge(_ challenge: WLResponse!) { handleChallenge(response: challenge) }
    /// Calls ``onSuccess(successResponse:)``.
    open override func onSuccess(_ response: WLResponse!) { onSuccess(successResponse: response) }
    /// Calls ``onFailure(failureResponse:)``.
    open override func onFailure(_ response: WLFailResponse!) { onFailure(failureResponse: response) }
}
