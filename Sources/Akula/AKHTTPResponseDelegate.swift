/// Receives the result of an asynchronous call: one success or one failure, and then done.
///
/// Success and failure are required, so a misspelt method does not compile. The vendor's own selectors are not known;
/// these names are this project's.
///
/// Methods are called where the agent's ``HTTPAgent/delivery`` says, by default on the main queue. A call keeps its
/// delegate until it is done, as `NSURLConnection` did, and then releases it; the delegate may be made in the call. To
/// be released earlier, cancel the call.
///
/// A class on the main actor conforms as `@MainActor AKHTTPResponseDelegate` and leaves the delivery at the main queue.
public protocol AKHTTPResponseDelegate: AnyObject {
    /// The server responded with a status below 300.
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int)
    /// The server responded with another status, no response came, or the call was cancelled.
    /// - Parameter response: the response, if there is one.
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?)
    /// The call is over; called once, after one of the others. Does nothing unless implemented.
    func responseDone()
}

extension AKHTTPResponseDelegate {
    /// Does nothing.
    public func responseDone() {}

    // These make the compiler say which method is missing or misspelt, and how it is spelt.

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
    /// Calls success or failure, then done.
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
