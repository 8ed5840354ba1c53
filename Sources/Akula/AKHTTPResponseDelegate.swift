/// Receives the result of an asynchronous call: success or failure, then done.
///
/// Success and failure are required, so that a misspelled method does not compile. The vendor's selectors are not
/// known; these names are this project's.
///
/// Methods are called on the agent's ``HTTPAgent/delivery``, by default the main queue. A call retains its delegate
/// until it is done, as `NSURLConnection` did, so the delegate can be created in the call. Cancel the call to release
/// the delegate earlier.
///
/// A class on the main actor conforms as `@MainActor AKHTTPResponseDelegate` and needs delivery on the main queue.
public protocol AKHTTPResponseDelegate: AnyObject {
    /// The server responded with a status below 300.
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int)
    /// The status is 300 or more, no response was received, or the call was cancelled.
    /// - Parameter response: the response, if one was received.
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?)
    /// The call is done. Called once, after one of the other methods. Optional.
    func responseDone()
}

extension AKHTTPResponseDelegate {
    /// Does nothing.
    public func responseDone() {}

    // These make the compiler's error name a missing or misspelled method with its correct signature.

    /// Missing in the conforming class.
    @available(
        *, unavailable,
        message:
            "implement 'func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int)'; no other spelling is called"
    )
    public func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}

    /// Missing in the conforming class.
    @available(
        *, unavailable,
        message:
            "implement 'func responseDidFail(_ error: AKError, response: AKHTTPResponse?)'; no other spelling is called"
    )
    public func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {}
}

extension AKHTTPResponseDelegate {
    /// Calls the success or failure method, then ``responseDone()``.
    func complete(with outcome: CallOutcome) {
        if let handler = self as? AKHTTPResponseHandler {
            handler.receive(outcome)
        } else {
            switch outcome.result {
            case .success(let response): responseDidSucceed(response, statusCode: response.statusCode)
            case .failure(let error): responseDidFail(error, response: error.response)
            }
        }
        responseDone()
    }
}
