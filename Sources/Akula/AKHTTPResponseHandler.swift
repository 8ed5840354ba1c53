import HTTPMessages

/// Base class of the provided handlers.
///
/// Set a handler's closures, or subclass it and override the methods that call them. One handler can serve several
/// calls.
open class AKHTTPResponseHandler: AKHTTPResponseDelegate {
    /// Called last, after success or failure.
    public var onDone: (() -> Void)?

    /// Creates a handler without closures.
    public init() {}

    /// Does nothing in this class.
    open func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}
    /// Does nothing in this class.
    open func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {}
    /// Calls ``onDone``.
    open func responseDone() { onDone?() }

    /// How the body is decoded before the handler is called, off the delivery queue.
    var bodyFormat: BodyFormat { .raw }

    /// Calls the success or failure method.
    func receive(_ outcome: CallOutcome) {
        switch outcome.result {
        case .success(let response): responseDidSucceed(response, statusCode: response.statusCode)
        case .failure(let error): responseDidFail(error, response: error.response)
        }
    }
}

/// Receives the response undecoded.
open class AKRawHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with a response whose status is below 300.
    public var onSuccess: ((AKHTTPResponse) -> Void)?
    /// Called with the error, and the response if one was received.
    public var onFailure: ((AKError, AKHTTPResponse?) -> Void)?

    /// Calls ``onSuccess``.
    open override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { onSuccess?(response) }
    /// Calls ``onFailure``.
    open override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) { onFailure?(error, response) }
}
