public import HTTPMessages
public import Transport

extension Hedging: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, again if the head of its answer is late, and gives the body of the answer whose head comes first.
    ///
    /// Only safe requests are sent twice (RFC 9110, section 9.2.1): those that are idempotent and no more go through as
    /// they are. The delay counts to the head; a body that is slow is not asked for again. The bodies of the other attempts
    /// are dropped, which ends them. Which attempt wins, and what the observer hears, is as for ``send(_:observer:)``.
    /// - Throws: what the base throws before the head has come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        guard request.method.isSafe else { return try await base.stream(request, observer: observer) }
        return try await fastest(request, observer: observer) { [base] in try await base.stream($0, observer: $1) }
    }
}
