package import Coordination
import Synchronization

/// A fake system that grants or refuses background tasks and expires them on demand.
package final class FakeBackgroundTasks: Sendable {
    private struct State {
        var last: UInt = 0
        var expirations: [UInt: @Sendable () -> Void] = [:]
        var ended: [UInt] = []
        var isRefusing = false
    }
    private let state = Mutex(State())

    package init() {}

    package var tasks: BackgroundTasks {
        BackgroundTasks(
            begin: { expired in
                self.state.withLock { state in
                    guard !state.isRefusing else { return 0 }
                    state.last += 1
                    state.expirations[state.last] = expired
                    return state.last
                }
            }, end: { task in self.state.withLock { $0.ended.append(task) } })
    }
    /// The number of begun tasks, which is the identifier of the last one.
    package var begun: UInt { state.withLock(\.last) }
    /// The identifiers of ended tasks, in order; twice for a task that is ended twice.
    package var ended: [UInt] { state.withLock(\.ended) }
    package func refuse() { state.withLock { $0.isRefusing = true } }
    package func expire(_ task: UInt) { state.withLock { $0.expirations[task] }?() }
}
