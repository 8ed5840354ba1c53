public import Delegation
import HTTPMessages
public import ResponseDecoding
public import Transport

// The closure form of each verb; the closure receives the result or error of the async form.

extension HTTPAgent {
    /// Sends a GET and passes the response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func get(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<AKHTTPResponse, AKError>) -> Void
    ) -> AKCall {
        start(.get, endpoint, requestData, options, observer, completion) { $0 }
    }

    /// Sends a GET and passes the decoded response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func get<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        start(.get, endpoint, requestData, options, observer, completion) { try $0.decode(decoder) }
    }

    /// Sends a POST and passes the response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func post(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<AKHTTPResponse, AKError>) -> Void
    ) -> AKCall {
        start(.post, endpoint, requestData, options, observer, completion) { $0 }
    }

    /// Sends a POST and passes the decoded response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func post<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        start(.post, endpoint, requestData, options, observer, completion) { try $0.decode(decoder) }
    }

    /// Sends a PUT and passes the response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func put(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<AKHTTPResponse, AKError>) -> Void
    ) -> AKCall {
        start(.put, endpoint, requestData, options, observer, completion) { $0 }
    }

    /// Sends a PUT and passes the decoded response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func put<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        start(.put, endpoint, requestData, options, observer, completion) { try $0.decode(decoder) }
    }

    /// Sends a DELETE and passes the response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func delete(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, completion: @escaping (Result<AKHTTPResponse, AKError>) -> Void
    ) -> AKCall {
        start(.delete, endpoint, requestData, options, observer, completion) { $0 }
    }

    /// Sends a DELETE and passes the decoded response or the error to a closure.
    /// - Parameters:
    ///   - observer: receives the progress of the transfer; default nil.
    ///   - completion: called once, on ``delivery``, then released.
    /// - Returns: the call, which can be cancelled.
    @discardableResult
    public func delete<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>,
        completion: @escaping (Result<Output, AKError>) -> Void
    ) -> AKCall {
        start(.delete, endpoint, requestData, options, observer, completion) { try $0.decode(decoder) }
    }

    private func start<Output: Sendable>(
        _ method: HTTPMethod, _ endpoint: String, _ data: AKHTTPRequestData?, _ options: AKHTTPRequestOptions?,
        _ observer: (any TransferObserver)?, _ completion: @escaping (Result<Output, AKError>) -> Void,
        decode: @escaping @Sendable (AKHTTPResponse) throws -> Output
    ) -> AKCall {
        let call = Result { () throws(AKError) in try self.call(method, endpoint, data, options) }
        return start({ try decode(await call.get().response(observer)) }, completion: completion)
    }
}
