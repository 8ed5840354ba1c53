/// Meets the login pages of a gateway in front of the server.
///
/// The client asks its handlers about every response that is not one of MobileFirst, in the order of their
/// registration; the first that claims it gets the challenge. It then logs in, usually by
/// ``submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:)``, and ends with
/// ``submitSuccess(_:)`` or ``BaseChallengeHandler/cancel()``. Other requests that reach the gateway meanwhile wait for
/// the same end.
open class GatewayChallengeHandler: BaseChallengeHandler {
    let challenge = GatewayChallenge()

    /// Creates a handler without a name, for subclasses that override this.
    public override init() { super.init() }

    /// Creates a handler; never nil here.
    public override init!(name: String!) { super.init(name: name) }

    /// Creates a handler; never nil here.
    public init!(gatewayName: String!) { super.init(name: gatewayName) }

    /// Returns true if a response is this gateway's challenge. Default ``canHandleResponse(_:)``: some versions of
    /// Swift import the vendor's method with this name.
    open func canHandle(_ response: WLResponse!) -> Bool { canHandleResponse(response) }

    /// Returns true if a response is this gateway's challenge. Default false.
    open func canHandleResponse(_ response: WLResponse!) -> Bool { false }

    /// The gateway challenges: log in, then call ``submitSuccess(_:)`` or ``BaseChallengeHandler/cancel()``. Default
    /// nothing.
    open func handleChallenge(_ challenge: WLResponse!) {}

    /// The login form got status 200, after redirects. Default nothing.
    open func onSuccess(_ response: WLResponse!) {}

    /// The login form got another status or no response. Default nothing.
    open func onFailure(_ response: WLFailResponse!) {}

    /// Ends the challenge: the requests that wait for it are sent again. No effect without a challenge.
    open func submitSuccess(_ response: WLResponse!) { challenge.end(.resend) }

    /// Cancels the challenge: the calls that wait for it fail with `challengeCancelled`. No effect without one.
    open override func cancel() { challenge.end(.cancel) }

    /// Sends a login form, and calls ``onSuccess(_:)`` or ``onFailure(_:)``; also without a challenge, such as a logout
    /// form. Redirects are followed, with their cookies.
    ///
    /// The client has the cookies of a challenge's form once it has ended. A logout and
    /// ``WLClient/setServerUrl(_:)`` cancel such a form, and none of its cookies is kept then. What ``onFailure(_:)``
    /// or ``onSuccess(_:)`` calls for a form from before them ends no later challenge, and a form that they send then
    /// is dropped, without a callback.
    /// - Parameters:
    ///   - requestUrl: absolute with http or https, else appended to the server's URL, also with a slash in front.
    ///   - requestTimeoutInMilliSeconds: in **milliseconds**; 0 and less mean 10,000.
    ///   - requestMethod: default `POST`. With `GET` the parameters are in the query.
    open func submitLoginForm(
        _ requestUrl: String!, requestParameters: [AnyHashable: Any]!, requestHeaders: [AnyHashable: Any]!,
        requestTimeoutInMilliSeconds: Int32, requestMethod: String! = nil
    ) {
        let form = LoginForm(
            url: requestUrl ?? "", parameters: requestParameters ?? [:], headers: requestHeaders ?? [:],
            milliseconds: requestTimeoutInMilliSeconds, method: requestMethod ?? "POST")
        let box = HandlerRegistry.Box(handler: self)
        challenge.submit(form) { result in
            switch result {
            case .success(let response): box.handler.onSuccess(response)
            case .failure(let error): box.handler.onFailure(WLFailResponse(error))
            }
        }
    }
}
