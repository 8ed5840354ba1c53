public import Delegation
public import Foundation
import HTTPMessages
public import Transport

// The delegate and blocking forms of each verb. `AgentCall` does the work.

extension HTTPAgent {
    /// Sends a GET and delivers the result to a delegate.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts and size limit; default those of ``AKHTTPRequestOptions``.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - delegate: retained until the call is done.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func get(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.get, endpoint, requestData, options, observer, delegate)
    }

    /// Sends a POST and delivers the result to a delegate.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts and size limit; default those of ``AKHTTPRequestOptions``.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - delegate: retained until the call is done.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func post(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.post, endpoint, requestData, options, observer, delegate)
    }

    /// Sends a PUT and delivers the result to a delegate.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts and size limit; default those of ``AKHTTPRequestOptions``.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - delegate: retained until the call is done.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func put(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.put, endpoint, requestData, options, observer, delegate)
    }

    /// Sends a DELETE and delivers the result to a delegate.
    /// - Parameters:
    ///   - endpoint: an absolute URL for an `AKHTTPAgent`, a path for an `AKServerAgent`.
    ///   - requestData: data of this call, merged with the agent's; default nil.
    ///   - options: timeouts and size limit; default those of ``AKHTTPRequestOptions``.
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - delegate: retained until the call is done.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func delete(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        start(.delete, endpoint, requestData, options, observer, delegate)
    }

    /// Sends a GET and blocks the thread until the response is complete.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; for a status of 300 or more its ``AKError/response`` has the response.
    @discardableResult
    @available(*, noasync, message: "getSync blocks its thread; use 'try await get(...)' in async code.")
    public func getSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.get, endpoint, requestData, options, observer)
    }

    /// Sends a GET and blocks the thread, with an error parameter as in Objective-C.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - error: nil after success, else the ``AKError`` as an `NSError`.
    /// - Returns: the response, with any status; nil if none was received.
    @discardableResult
    @available(*, noasync, message: "getSync blocks its thread; use 'try await get(...)' in async code.")
    public func getSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.get, endpoint, requestData, options, observer) }
    }

    /// Sends a POST and blocks the thread until the response is complete.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; for a status of 300 or more its ``AKError/response`` has the response.
    @discardableResult
    @available(*, noasync, message: "postSync blocks its thread; use 'try await post(...)' in async code.")
    public func postSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.post, endpoint, requestData, options, observer)
    }

    /// Sends a POST and blocks the thread, with an error parameter as in Objective-C.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - error: nil after success, else the ``AKError`` as an `NSError`.
    /// - Returns: the response, with any status; nil if none was received.
    @discardableResult
    @available(*, noasync, message: "postSync blocks its thread; use 'try await post(...)' in async code.")
    public func postSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.post, endpoint, requestData, options, observer) }
    }

    /// Sends a PUT and blocks the thread until the response is complete.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; for a status of 300 or more its ``AKError/response`` has the response.
    @discardableResult
    @available(*, noasync, message: "putSync blocks its thread; use 'try await put(...)' in async code.")
    public func putSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.put, endpoint, requestData, options, observer)
    }

    /// Sends a PUT and blocks the thread, with an error parameter as in Objective-C.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - error: nil after success, else the ``AKError`` as an `NSError`.
    /// - Returns: the response, with any status; nil if none was received.
    @discardableResult
    @available(*, noasync, message: "putSync blocks its thread; use 'try await put(...)' in async code.")
    public func putSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.put, endpoint, requestData, options, observer) }
    }

    /// Sends a DELETE and blocks the thread until the response is complete.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``; for a status of 300 or more its ``AKError/response`` has the response.
    @discardableResult
    @available(*, noasync, message: "deleteSync blocks its thread; use 'try await delete(...)' in async code.")
    public func deleteSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) throws(AKError) -> AKHTTPResponse {
        try wait(.delete, endpoint, requestData, options, observer)
    }

    /// Sends a DELETE and blocks the thread, with an error parameter as in Objective-C.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - error: nil after success, else the ``AKError`` as an `NSError`.
    /// - Returns: the response, with any status; nil if none was received.
    @discardableResult
    @available(*, noasync, message: "deleteSync blocks its thread; use 'try await delete(...)' in async code.")
    public func deleteSync(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, error: inout NSError?
    ) -> AKHTTPResponse? {
        reporting(to: &error) { () throws(AKError) in try wait(.delete, endpoint, requestData, options, observer) }
    }

    private func start(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?,
        _ observer: (any TransferObserver)?, _ delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        let call = Result { () throws(AKError) in try self.call(method, endpoint, data, options) }
        return start(delegate: delegate) { try await call.get().response(observer) }
    }

    private func wait(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?,
        _ observer: (any TransferObserver)?
    ) throws(AKError) -> AKHTTPResponse {
        let call = try call(method, endpoint, data, options)
        do {
            return try Blocking.run { try await call.response(observer) }
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
