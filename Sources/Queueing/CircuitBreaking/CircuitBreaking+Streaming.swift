public import HTTPMessages
public import Transport

extension CircuitBreaking: StreamingTransport where Base: StreamingTransport {
    /// Sends a request unless the circuit of its origin is open, and streams the body of its response.
    ///
    /// A head that is a failure counts at once. Otherwise the call counts at the end of its body: as a success at the
    /// last byte, by its error if it fails, and not at all if the reader releases it earlier. A half-open call counts
    /// with its head, however long its body takes; if the body fails, it counts again, as a failure of a usual call.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        if request.isElsewhere { return try await base.stream(request, observer: observer) }
        var call = try permit(request, observer)
        let response = try await perform(call) { try await base.stream(request, observer: observer) }
        let outcome = outcome(of: response.head)
        guard outcome == .success else {
            callEnded(call, outcome)
            return response
        }
        call = headReceived(call)
        return response.tracked { [call] ending in
            switch ending {
            case .finished: callEnded(call, .success)
            case .failed(let error): callEnded(call, self.outcome(of: error, call))
            case .abandoned: callEnded(call, .unknown)
            }
        }
    }
}
