import HTTPMessages
public import ResponseDecoding
public import Transport

// The async form of each verb, with and without decoding.

extension HTTPAgent {
    /// Sends a GET.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more. Cancelling the task cancels the call.
    @discardableResult
    public func get(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKHTTPResponse {
        try await call(.get, endpoint, requestData, options).response(observer)
    }

    /// Sends a GET and decodes the response: `agent.get("/items", as: .json([Item].self))`.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more and for an undecodable body.
    public func get<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(AKError) -> Output {
        try await call(.get, endpoint, requestData, options).response(observer).decode(decoder)
    }

    /// Sends a POST.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more. Cancelling the task cancels the call.
    @discardableResult
    public func post(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKHTTPResponse {
        try await call(.post, endpoint, requestData, options).response(observer)
    }

    /// Sends a POST and decodes the response: `agent.post("/items", as: .json([Item].self))`.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more and for an undecodable body.
    public func post<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(AKError) -> Output {
        try await call(.post, endpoint, requestData, options).response(observer).decode(decoder)
    }

    /// Sends a PUT.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more. Cancelling the task cancels the call.
    @discardableResult
    public func put(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKHTTPResponse {
        try await call(.put, endpoint, requestData, options).response(observer)
    }

    /// Sends a PUT and decodes the response: `agent.put("/items", as: .json([Item].self))`.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more and for an undecodable body.
    public func put<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(AKError) -> Output {
        try await call(.put, endpoint, requestData, options).response(observer).decode(decoder)
    }

    /// Sends a DELETE.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more. Cancelling the task cancels the call.
    @discardableResult
    public func delete(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil
    ) async throws(AKError) -> AKHTTPResponse {
        try await call(.delete, endpoint, requestData, options).response(observer)
    }

    /// Sends a DELETE and decodes the response: `agent.delete("/items", as: .json([Item].self))`.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Throws: ``AKError``, also for a status of 300 or more and for an undecodable body.
    public func delete<Output>(
        _ endpoint: String, requestData: AKHTTPRequestData? = nil, options: AKHTTPRequestOptions? = nil,
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(AKError) -> Output {
        try await call(.delete, endpoint, requestData, options).response(observer).decode(decoder)
    }
}
