import HTTPMessages

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
