/// Wakes the event thread at a deadline on a clock that is not the system's.
struct LoopTimer {
    private var timer: (deadline: Duration, task: Task<Void, Never>)?

    /// Replaces the deadline.
    mutating func set(to deadline: Duration, on clock: EngineClock, waking mailbox: Mailbox) {
        guard timer?.deadline != deadline, let sleep = clock.sleep else { return }
        cancel()
        let task = Task.detached {
            // A clock may wake its sleepers early.
            while clock.now < deadline { guard (try? await sleep(deadline)) != nil else { return } }
            mailbox.wake()
        }
        timer = (deadline, task)
    }

    func cancel() { timer?.task.cancel() }
}
