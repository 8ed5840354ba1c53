public import HTTPMessages
public import Transport

extension Hedging: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, and hedges it if the head of its response is late.
    ///
    /// Streams the body of the response whose head wins. Only safe requests are hedged (RFC 9110, section 9.2.1); all
    /// others, idempotent ones included, are sent once. The delay counts until the head; a slow body is not hedged. The
    /// other attempts are cancelled by releasing their bodies. The winner and the observer's events are as for
    /// ``send(_:observer:)``.
    /// - Throws: errors of the base before the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        guard request.method.isSafe, isHedged(request) else {
            return try await base.stream(request, observer: observer)
        }
        return try await hedge(request, observer.map(HedgeEvents.init), isStream: true) { [base] in
            try await base.stream($0, observer: $1)
        }.get().listingAttemptsInError()
    }
}
