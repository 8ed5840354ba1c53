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

/// Decodes the body as text for every status: with its charset, else UTF-8; invalid bytes become U+FFFD.
open class AKTextHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with the text and the status.
    public var onSuccess: ((String, Int) -> Void)?
    /// Called with the error, and the response text if a response was received.
    public var onFailure: ((AKError, String?) -> Void)?

    /// Calls ``onSuccess``.
    open func responseDidSucceed(text: String, statusCode: Int) { onSuccess?(text, statusCode) }
    /// Calls ``onFailure``.
    open func responseDidFail(_ error: AKError, text: String?) { onFailure?(error, text) }

    /// Decodes the body and calls ``responseDidSucceed(text:statusCode:)``.
    public final override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        receive(CallOutcome(.success(response), format: bodyFormat))
    }
    /// Decodes the body, if there is one, and calls ``responseDidFail(_:text:)``.
    public final override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        receive(CallOutcome(.failure(error), format: bodyFormat))
    }

    override var bodyFormat: BodyFormat { .text }

    override func receive(_ outcome: CallOutcome) {
        switch outcome.result {
        case .success(let response): responseDidSucceed(text: outcome.text ?? "", statusCode: response.statusCode)
        case .failure(let error): responseDidFail(error, text: outcome.text)
        }
    }
}

/// Decodes the body as JSON.
///
/// The trimmed body must start with `{` or `[`, or the call fails; an empty body is a success with a nil object. After
/// a failure the body is decoded too, if it is JSON.
open class AKJSONHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with an object, or nil for an empty body, and the status.
    public var onObject: (([String: Any]?, Int) -> Void)?
    /// Called with an array and the status.
    public var onArray: (([Any], Int) -> Void)?
    /// Called with the error, and the body if it is a JSON object or array.
    public var onFailure: ((AKError, Any?) -> Void)?

    /// Calls ``onObject``.
    open func responseDidSucceed(object: [String: Any]?, statusCode: Int) { onObject?(object, statusCode) }
    /// Calls ``onArray``.
    open func responseDidSucceed(array: [Any], statusCode: Int) { onArray?(array, statusCode) }
    /// Calls ``onFailure``.
    open func responseDidFail(_ error: AKError, object: Any?) { onFailure?(error, object) }

    /// Decodes the body and calls ``responseDidSucceed(object:statusCode:)``, ``responseDidSucceed(array:statusCode:)``
    /// or ``responseDidFail(_:object:)``.
    public final override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        receive(CallOutcome(.success(response), format: bodyFormat))
    }
    /// Decodes the body, if there is one, and calls ``responseDidFail(_:object:)``.
    public final override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        receive(CallOutcome(.failure(error), format: bodyFormat))
    }

    override var bodyFormat: BodyFormat { .json }

    override func receive(_ outcome: CallOutcome) {
        switch (outcome.result, outcome.json?.foundationObject) {
        case (.success(let response), let array as [Any]):
            responseDidSucceed(array: array, statusCode: response.statusCode)
        case (.success(let response), let object):
            responseDidSucceed(object: object as? [String: Any], statusCode: response.statusCode)
        case (.failure(let error), let object):
            responseDidFail(error, object: object)
        }
    }
}
