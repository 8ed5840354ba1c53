import HTTPMessages
public import Transport

/// A layer whose calls all begin after the same sign-out.
///
/// Sign-outs are counted for the whole process, and equal calls share a request only if none is between them. So a test
/// of shared calls needs this layer: another test may sign out at any time.
private struct IgnoringLaterSignOuts<Base: Transport>: Transport {
    let base: Base
    let lastSignOut = SignOutClock.now

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        var request = request
        request.options.beginCall(after: lastSignOut)
        return try await base.send(request, observer: observer)
    }
}

extension Transport {
    /// Keeps the sign-outs of other tests out of the calls.
    public func ignoringLaterSignOuts() -> some Transport { IgnoringLaterSignOuts(base: self) }
}
