public import HTTPMessages
public import Transport

extension Retrying: StreamingTransport where Base: StreamingTransport {
    /// Sends a request until the head of an answer is good enough or an attempt was the last, by the rules of
    /// ``send(_:observer:)``, and gives the body of that answer.
    ///
    /// Once there is a head to return nothing is repeated: what then goes wrong with the body reaches the reader, as an
    /// error that lists all attempts. The body of an answer that is repeated is read while the wait lasts, if it is short,
    /// so that its connection can be used again, and dropped.
    /// - Throws: as ``send(_:observer:)`` does, while the head has not come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let (answer, state) = try await repeated(request, observer: observer) {
            try await base.stream($0, observer: observer)
        }
        return answer.held(mapError: state.conclusion(ofBody:))
    }
}
