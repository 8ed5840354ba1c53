import HTTPMessages

/// Base class of the ready-made handlers.
///
/// Set the closures of a handler, or make a subclass of it and override the methods, which call them. One handler may
/// serve several calls.
open class AKHTTPResponseHandler: AKHTTPResponseDelegate {
    /// Called last, after success or failure.
    public var onDone: (() -> Void)?

    /// A handler that does nothing yet.
    public init() {}

    /// Does nothing here.
    open func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}
    /// Does nothing here.
    open func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {}
    /// Calls ``onDone``.
    open func responseDone() { onDone?() }

    /// How the body is read before the handler is called, off the handler's queue.
    var form: BodyForm { .raw }

    /// Calls success or failure.
    func receive(_ outcome: CallOutcome) {
        switch outcome.result {
        case .success(let response): responseDidSucceed(response, statusCode: response.statusCode)
        case .failure(let error): responseDidFail(error, response: error.response)
        }
    }
}

/// Passes the response on, untouched.
open class AKRawHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with a response whose status is below 300.
    public var onSuccess: ((AKHTTPResponse) -> Void)?
    /// Called with any other response, or none.
    public var onFailure: ((AKError, AKHTTPResponse?) -> Void)?

    /// Calls ``onSuccess``.
    open override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { onSuccess?(response) }
    /// Calls ``onFailure``.
    open override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) { onFailure?(error, response) }
}

/// Reads the body as text, whatever the status: as its charset says, else UTF-8; bytes that cannot be read become
/// U+FFFD.
open class AKTextHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with the text and the status.
    public var onSuccess: ((String, Int) -> Void)?
    /// Called with the error and the text of the response, if one came.
    public var onFailure: ((AKError, String?) -> Void)?

    /// Calls ``onSuccess``.
    open func responseDidSucceed(text: String, statusCode: Int) { onSuccess?(text, statusCode) }
    /// Calls ``onFailure``.
    open func responseDidFail(_ error: AKError, text: String?) { onFailure?(error, text) }

    /// Reads the body and calls ``responseDidSucceed(text:statusCode:)``.
    public final override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        receive(CallOutcome(.success(response), form: form))
    }
    /// Reads the body, if there is one, and calls ``responseDidFail(_:text:)``.
    public final override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        receive(CallOutcome(.failure(error), form: form))
    }

    override var form: BodyForm { .text }

    override func receive(_ outcome: CallOutcome) {
        switch outcome.result {
        case .success(let response): responseDidSucceed(text: outcome.text ?? "", statusCode: response.statusCode)
        case .failure(let error): responseDidFail(error, text: outcome.text)
        }
    }
}

/// Reads the body as JSON.
///
/// The trimmed body must start with `{` or `[`; anything else is a failure, but an empty one is a success without an
/// object. After a failure the body is read too, if it can be.
open class AKJSONHTTPResponseHandler: AKHTTPResponseHandler {
    /// Called with an object, or nil when the body is empty, and the status.
    public var onObject: (([String: Any]?, Int) -> Void)?
    /// Called with an array and the status.
    public var onArray: (([Any], Int) -> Void)?
    /// Called with the error and the response's body, a dictionary or an array, if it is one.
    public var onFailure: ((AKError, Any?) -> Void)?

    /// Calls ``onObject``.
    open func responseDidSucceed(object: [String: Any]?, statusCode: Int) { onObject?(object, statusCode) }
    /// Calls ``onArray``.
    open func responseDidSucceed(array: [Any], statusCode: Int) { onArray?(array, statusCode) }
    /// Calls ``onFailure``.
    open func responseDidFail(_ error: AKError, object: Any?) { onFailure?(error, object) }

    /// Reads the body and calls ``responseDidSucceed(object:statusCode:)``, ``responseDidSucceed(array:statusCode:)`` or
    /// ``responseDidFail(_:object:)``.
    public final override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        receive(CallOutcome(.success(response), form: form))
    }
    /// Reads the body, if there is one, and calls ``responseDidFail(_:object:)``.
    public final override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        receive(CallOutcome(.failure(error), form: form))
    }

    override var form: BodyForm { .json }

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
