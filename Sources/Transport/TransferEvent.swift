public import HTTPMessages

/// A step of a transfer, for progress.
///
/// Counts never go down within one attempt, and the last event of a direction has the exact count. A transport that
/// has to start over (a redirect, a retry) starts counting again.
public enum TransferEvent: Hashable, Sendable {
    /// So many bytes of the request's body were handed to the network, of so many if that is known.
    case sent(Int64, of: Int64?)
    /// The head of the response has come.
    case head(HTTPResponseHead)
    /// So many bytes of the response's body have come, after decoding, of so many if that is known.
    case received(Int64, of: Int64?)
    /// An attempt has failed, and another one begins after its delay. The events of all attempts reach one observer.
    case retry(after: TransportError.Attempt)
}

/// Hears how a transfer goes.
public protocol TransferObserver: Sendable {
    /// Called for each event, one at a time and in order, on a thread for observers or in the caller's task. No event begins
    /// after the call to `send` has returned. Several events of one kind may arrive as the last of them.
    ///
    /// There are four such threads. An observer that blocks holds up its own call, until that is cancelled or a deadline
    /// passes, and the events of other calls, but no other call: while all four threads are blocked, a call that is done
    /// waits for one for ten seconds, and what its observer has not been told by then is dropped.
    func transfer(didReach event: TransferEvent)
}
