/// Hears how an asynchronous call went: one success or one failure, and then, last, that it is done.
///
/// Every method may be left out. The vendor's own selectors are not known; these names are this project's.
///
/// Methods are called where the agent's ``HTTPAgent/delivery`` says, by default on the main queue. A delegate is known
/// weakly, as usual; one that is gone hears nothing more. The ready-made handlers (``AKHTTPResponseHandler``), which are
/// often made in the call itself, are kept until they are done.
///
/// A class on the main actor conforms as `@MainActor AKHTTPResponseDelegate` and leaves the delivery at the main queue.
public protocol AKHTTPResponseDelegate: AnyObject {
    /// The server answered with a status below 300.
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int)
    /// The server answered with another status, no response came, or the call was cancelled.
    /// - Parameter response: the response, if there is one.
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?)
    /// The call is over; called once, after one of the others.
    func responseDone()
}

extension AKHTTPResponseDelegate {
    /// Does nothing.
    public func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}
    /// Does nothing.
    public func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {}
    /// Does nothing.
    public func responseDone() {}
}
