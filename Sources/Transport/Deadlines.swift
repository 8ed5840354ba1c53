import Foundation
import Synchronization

/// Wakes whoever asked for it when a moment has come.
///
/// One task sleeps until the earliest moment asked for; asking for a later one, the common case, costs a dictionary
/// entry. It sleeps on a thread of its own, so that deadlines hold even when every thread of the cooperative pool is
/// blocked.
package final class Deadlines: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        var wake: (at: Duration, sleeper: Task<Void, Never>)?
    }
    private struct Entry {
        let moment: Duration
        let action: @Sendable () -> Void
    }

    package let timeline: Timeline
    private let state = Mutex(State())
    private let executor = DispatchQueueExecutor(label: "patchbay.deadlines")

    package init(_ timeline: Timeline) { self.timeline = timeline }

    deinit { state.withLock { $0.wake?.sleeper.cancel() } }

    /// Calls `action` once, on a thread of its own, when `moment` has come.
    /// - Returns: a name for ``cancel(_:)``.
    @discardableResult
    package func schedule(at moment: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            state.entries[state.nextID] = Entry(moment: moment, action: action)
            if state.wake.map({ moment < $0.at }) ?? true { setWake(at: moment, in: &state) }
            return state.nextID
        }
    }

    /// Forgets a moment that was asked for; nothing happens when it is over.
    package func cancel(_ id: UInt64) { _ = state.withLock { $0.entries.removeValue(forKey: id) } }

    private func setWake(at moment: Duration, in state: inout sending State) {
        state.wake?.sleeper.cancel()
        let timeline = timeline
        let sleeper = Task(executorPreference: executor) { [weak self] in
            guard (try? await timeline.sleep(until: moment)) != nil else { return }
            self?.wake()
        }
        state.wake = (moment, sleeper)
    }

    private func wake() {
        let now = timeline.now
        let due = state.withLock { state in
            state.wake = nil
            let due = state.entries.filter { $0.value.moment <= now }
            for id in due.keys { state.entries[id] = nil }
            if let next = state.entries.values.map(\.moment).min() { setWake(at: next, in: &state) }
            return due.values.sorted { $0.moment < $1.moment }
        }
        for entry in due { entry.action() }
    }
}

/// Runs tasks on a dispatch queue instead of the cooperative pool.
private final class DispatchQueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
