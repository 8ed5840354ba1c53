public import HTTPMessages
public import Transport

extension CircuitBreaking: StreamingTransport where Base: StreamingTransport {
    /// Sends a request if the circuit of its origin lets it through, and gives the body of the answer.
    ///
    /// A head that counts as a failure does so at once. After any other one the call counts when its body is over: as a
    /// success with its last byte, as its error does when it fails, and not at all when the reader leaves before. A call
    /// that finds out whether the server is back has done so with its head, however long its body takes; if that fails, it
    /// counts as the failure of any other call.
    /// - Throws: as ``send(_:observer:)`` does, while the head has not come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        var call = try admitted(request)
        let response = try await answer(to: call) { try await base.stream(request, observer: observer) }
        guard end(of: response.head) == .success else {
            ended(call, .failure)
            return response
        }
        call = answered(call)
        return response.held { [call] ending in
            switch ending {
            case .whole: ended(call, .success)
            case .failed(let error): ended(call, end(of: error))
            case .abandoned: ended(call, .unknown)
            }
        }
    }
}
