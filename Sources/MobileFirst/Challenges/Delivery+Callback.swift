import Authentication
import Delegation

extension Delivery {
    /// Calls a handler of the app. Calls that it starts wait for tokens as usual, also with inline delivery, which runs it
    /// in the task that obtains a token.
    func callBack(_ body: @escaping @Sendable () -> Void) { deliver { RunningRefresh.leave(body) } }
}
