public import HTTPMessages
public import Transport

extension Coalescing: StreamingTransport where Base: StreamingTransport {
    /// Sends a request as it is. Streams are not shared: each reader takes its time, and one body cannot be kept for the
    /// slowest of them without an end.
    /// - Throws: what the base throws before the head has come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await base.stream(request, observer: observer)
    }
}
