import HTTPMessages

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
