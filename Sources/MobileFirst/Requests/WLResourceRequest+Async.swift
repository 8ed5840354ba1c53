public import Foundation
public import ResponseDecoding
public import Transport

// Async methods: one for each kind of body, and one that decodes.

extension WLResourceRequest {
    /// Sends the request without a body. Cancelling the task cancels the call.
    /// - Parameter observer: receives the progress of the transfer; default nil.
    /// - Returns: a response with a status 2xx.
    /// - Throws: ``WLError``, for any other status with its response.
    @discardableResult
    public func send(observer: (any TransferObserver)? = nil) async throws(WLError) -> WLResponse {
        try await client.perform(httpRequest(), observer)
    }

    /// Sends the request without a body and decodes the response: `request.send(as: .json(Item.self))`.
    /// - Throws: ``WLError``, also for an undecodable body (`parse`).
    public func send<Output>(
        observer: (any TransferObserver)? = nil, as decoder: some ResponseDecoder<Output>
    ) async throws(WLError) -> Output {
        try await send(observer: observer).decode(decoder)
    }

    /// Sends a text; POST and PUT only, other methods send no body.
    /// - Throws: ``WLError``.
    @discardableResult
    public func send(
        withBody body: String, observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        try await client.perform(httpRequest(.text(body)), observer)
    }

    /// Sends a form; POST and PUT only, other methods send no body.
    /// - Throws: ``WLError``.
    @discardableResult
    public func send(
        withFormParameters body: [AnyHashable: Any], observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        try await client.perform(httpRequest(.form(body)), observer)
    }

    /// Sends a JSON object; POST and PUT only, other methods send no body.
    /// - Throws: ``WLError``.
    @discardableResult
    public func send(
        withJSON body: [AnyHashable: Any], observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        try await client.perform(httpRequest(.json(body)), observer)
    }

    /// Sends data; POST and PUT only, other methods send no body.
    /// - Throws: ``WLError``.
    @discardableResult
    public func send(
        withData body: Data, observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        try await client.perform(httpRequest(.data(body)), observer)
    }
}
