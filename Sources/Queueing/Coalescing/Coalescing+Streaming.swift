public import HTTPMessages
public import Transport

extension Coalescing: StreamingTransport where Base: StreamingTransport {
    /// Sends a request unshared: a shared body would have to be buffered for its slowest reader, without a bound.
    /// - Throws: errors of the base before the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await base.stream(request, observer: observer)
    }
}
