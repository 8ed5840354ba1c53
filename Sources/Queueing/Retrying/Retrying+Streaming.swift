public import HTTPMessages
public import Transport

extension Retrying: StreamingTransport where Base: StreamingTransport {
    /// Sends a request with retries, and streams the body of the final response.
    ///
    /// The rules are those of ``send(_:observer:)``, applied to the head. Nothing is retried once a head is returned:
    /// an error of the body then reaches the reader, with all attempts. The body of a response that is retried is read
    /// and dropped if it is short and arrives within a second of the wait, so its connection can be reused.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let (response, state) = try await sendWithRetries(request, observer: observer) {
            try await base.stream($0, observer: observer)
        }
        return response.tracked(mapError: state.error(ofBody:))
    }
}
