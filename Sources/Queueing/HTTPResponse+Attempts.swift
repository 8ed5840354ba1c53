public import HTTPMessages
public import Transport

private enum AttemptsKey: ResponseMetadataKey { static var defaultValue: [TransportError.AttemptRecord] { [] } }

extension HTTPResponseHead {
    /// The other attempts that the request took, oldest first; empty if one attempt was enough.
    ///
    /// ``Retrying`` lists the attempts before this response. ``Hedging`` also lists those that this response overtook,
    /// as `cancelled`. The head of a `TransferEvent` has no list.
    public internal(set) var attempts: [TransportError.AttemptRecord] {
        get { self[AttemptsKey.self] }
        set {
            self[AttemptsKey.self] = newValue
            otherAttemptCount = newValue.count
        }
    }
}

extension HTTPResponse {
    /// The other attempts that the request took, oldest first; empty if one attempt was enough.
    public var attempts: [TransportError.AttemptRecord] { head.attempts }
}

extension HTTPResponseStream {
    /// The other attempts that the request took, oldest first; empty if one attempt was enough.
    public var attempts: [TransportError.AttemptRecord] { head.attempts }
}

extension HTTPResponseStream {
    /// The response, with all attempts in the error of its body.
    func listingAttemptsInError() -> HTTPResponseStream {
        let attempts = attempts
        guard !attempts.isEmpty else { return self }
        return tracked(mapError: { error in
            guard let failure = error as? TransportError,
                let last = AttemptResult.Outcome.failure(failure).records(backoff: nil).last
            else { return error }
            // A layer below may have listed the attempts before it already.
            return error.replacingAttempts(with: attempts + [last])
        })
    }
}

extension HTTPResponseProtocol {
    /// Lists the attempts of a layer in addition to those of layers below.
    mutating func insertAttempts(_ attempts: [TransportError.AttemptRecord]) {
        // Most requests take one attempt, and pay nothing.
        if !attempts.isEmpty { head.attempts.insert(contentsOf: attempts, at: 0) }
    }
}
