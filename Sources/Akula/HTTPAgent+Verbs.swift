public import Delegation
public import Foundation
import HTTPMessages

// Each verb for a delegate, and synchronous. Everything that one of them does is in `AgentCall`.

extension HTTPAgent {
    /// Sends a GET; the delegate hears how it went.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: goes with this call, combined with the agent's own; default none.
    ///   - options: how this call is carried out; default as the transport does it.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func get(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.get, endpoint, requestData, options, delegate)
    }

    /// Sends a POST; the delegate hears how it went.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: goes with this call, combined with the agent's own; default none.
    ///   - options: how this call is carried out; default as the transport does it.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func post(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.post, endpoint, requestData, options, delegate)
    }

    /// Sends a PUT; the delegate hears how it went.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: goes with this call, combined with the agent's own; default none.
    ///   - options: how this call is carried out; default as the transport does it.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func put(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.put, endpoint, requestData, options, delegate)
    }

    /// Sends a DELETE; the delegate hears how it went.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: goes with this call, combined with the agent's own; default none.
    ///   - options: how this call is carried out; default as the transport does it.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func delete(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.delete, endpoint, requestData, options, delegate)
    }

    /// Sends a GET and waits for the response.
    /// - Throws: ``AKError``, also when the status is 300 or more; ``AKError/response`` has the response then.
    @discardableResult
    public func getSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.get, endpoint, requestData, options)
    }

    /// Sends a GET and waits for the response, as in Objective-C.
    /// - Parameter error: nil after the call means success; else an `NSError` of ``AKError``.
    /// - Returns: the response if one came, whatever its status.
    @discardableResult
    public func getSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.get, endpoint, requestData, options) }
    }

    /// Sends a POST and waits for the response.
    /// - Throws: ``AKError``, also when the status is 300 or more; ``AKError/response`` has the response then.
    @discardableResult
    public func postSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.post, endpoint, requestData, options)
    }

    /// Sends a POST and waits for the response, as in Objective-C.
    /// - Parameter error: nil after the call means success; else an `NSError` of ``AKError``.
    /// - Returns: the response if one came, whatever its status.
    @discardableResult
    public func postSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.post, endpoint, requestData, options) }
    }

    /// Sends a PUT and waits for the response.
    /// - Throws: ``AKError``, also when the status is 300 or more; ``AKError/response`` has the response then.
    @discardableResult
    public func putSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.put, endpoint, requestData, options)
    }

    /// Sends a PUT and waits for the response, as in Objective-C.
    /// - Parameter error: nil after the call means success; else an `NSError` of ``AKError``.
    /// - Returns: the response if one came, whatever its status.
    @discardableResult
    public func putSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.put, endpoint, requestData, options) }
    }

    /// Sends a DELETE and waits for the response.
    /// - Throws: ``AKError``, also when the status is 300 or more; ``AKError/response`` has the response then.
    @discardableResult
    public func deleteSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.delete, endpoint, requestData, options)
    }

    /// Sends a DELETE and waits for the response, as in Objective-C.
    /// - Parameter error: nil after the call means success; else an `NSError` of ``AKError``.
    /// - Returns: the response if one came, whatever its status.
    @discardableResult
    public func deleteSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.delete, endpoint, requestData, options) }
    }

    private func wait(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?
    ) throws(AKError) -> AKHTTPResponse {
        let call = try call(method, endpoint, data, options)
        do {
            return try Blocking.run { try await call.response() }
        } catch {
            throw AKError(error)
        }
    }

    private func reporting(
        to error: inout NSError?, _ call: () throws(AKError) -> AKHTTPResponse
    ) -> AKHTTPResponse? {
        do throws(AKError) {
            let response = try call()
            error = nil
            return response
        } catch let failure {
            error = failure as NSError
            return failure.response
        }
    }
}
