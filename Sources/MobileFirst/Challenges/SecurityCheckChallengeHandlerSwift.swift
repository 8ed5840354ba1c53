/// ``SecurityCheckChallengeHandler`` with the labels of the vendor's pure-Swift class, for overriding.
open class SecurityCheckChallengeHandlerSwift: SecurityCheckChallengeHandler {
    /// Creates a handler.
    /// - Parameter securityCheck: the name of the check on the server.
    public override init(securityCheck: String!) { super.init(securityCheck: securityCheck) }

    /// ``SecurityCheckChallengeHandler/handleChallenge(_:)`` with a label; override this one.
    open func handleChallenge(challengeResponse: [AnyHashable: Any]) {}
    /// ``SecurityCheckChallengeHandler/handleSuccess(_:)`` with a label; override this one.
    open func handleSuccess(successResponse: [AnyHashable: Any]) {}
    /// ``SecurityCheckChallengeHandler/handleFailure(_:)`` with a label; override this one.
    open func handleFailure(failureResponse: [AnyHashable: Any]) {}
    /// ``SecurityCheckChallengeHandler/submitChallengeAnswer(_:)`` with a label.
    open func submitChallengeAnswer(answer credential: [AnyHashable: Any]?) { submitChallengeAnswer(credential) }

    /// Calls ``handleChallenge(challengeResponse:)``.
    open override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        handleChallenge(challengeResponse: challenge ?? [:])
    }
    /// Calls ``handleSuccess(successResponse:)``.
    open override func handleSuccess(_ success: [AnyHashable: Any]!) { handleSuccess(successResponse: success ?? [:]) }
    /// Calls ``handleFailure(failureResponse:)``.
    open override func handleFailure(_ failure: [AnyHashable: Any]!) { handleFailure(failureResponse: failure ?? [:]) }
}
