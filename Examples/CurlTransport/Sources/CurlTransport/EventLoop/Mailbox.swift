import Synchronization

/// A command of another thread for the event thread.
enum Command: Sendable {
    case start(Call)
    case cancel(Call.ID)
    /// The reader of a streamed response has made room in its buffer.
    case continueReceiving(Call.ID)
    /// The request body has further bytes, or has ended.
    case continueSending(Call.ID)
    /// The caller of a finished transfer has resumed.
    case delivered(Call.ID)
    /// A task whose executor is the thread goes on.
    case run(UnownedJob, on: LoopExecutor)
}

/// FIFO queue of commands for an event thread.
///
/// A batch of commands takes one lock and at most one system call.
///
/// ```
/// running  -close(draining)->   draining
/// running  -close(cancelling)-> cancelling
/// draining -close(cancelling)-> cancelling
/// draining, cancelling -seal->  sealed
/// sealed   -end->               ended
/// ```
final class Mailbox: Sendable {
    enum Phase: Comparable, Sendable {
        case running
        case draining
        case cancelling
        case sealed
        case ended
    }
    private struct State {
        var phase = Phase.running
        var commands: [Command] = []
        /// True while the thread polls, or is about to, without a wakeup on its way.
        var isSleeping = false
        /// True from ``wake()`` until the thread takes its commands.
        var isWoken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let wakeup: Wakeup
    private let state = Mutex(State())

    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    /// Enqueues a command, and wakes the thread if it sleeps.
    /// - Returns: false when the command is dropped: every command after the end, and ``Command/start(_:)`` after
    ///   ``close(_:)``.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            if case .start = command, state.phase != .running { return false }
            guard state.phase < .sealed else { return false }
            state.commands.append(command)
            wake(&state)
            return true
        }
    }

    /// Makes the thread look at the time; if it is about to sleep, it does not.
    func wake() {
        state.withLock { state in
            guard state.phase < .sealed else { return }
            state.isWoken = true
            wake(&state)
        }
    }

    /// Signals under the lock, because the thread closes the descriptor at its end.
    private func wake(_ state: inout State) {
        guard state.isSleeping else { return }
        state.isSleeping = false
        wakeup.signal()
    }

    /// Refuses further calls; the thread ends after those that run.
    func close(_ mode: Phase) {
        state.withLock { state in
            guard mode > state.phase, state.phase < .sealed else { return }
            state.phase = mode
            wake(&state)
        }
    }

    /// Suspends until the thread has ended.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.phase != .ended { state.waiters.append(continuation) }
                return state.phase == .ended
            }
            if hasEnded { continuation.resume() }
        }
    }

    // Called by the event thread.

    /// Notes that the thread has work, and takes its commands next: those of its own jobs need no wakeup either.
    func awake() { state.withLock { $0.isSleeping = false } }

    /// Takes all commands into an empty array, and returns the phase.
    func take(_ commands: inout [Command]) -> Phase {
        state.withLock { state in
            state.isSleeping = false
            state.isWoken = false
            swap(&state.commands, &commands)
            return state.phase
        }
    }

    /// Announces that the thread will sleep.
    /// - Parameter phase: the phase that the thread knows.
    /// - Returns: false when there are commands, a wakeup or another phase.
    func prepareToSleep(knowing phase: Phase) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isWoken, state.phase == phase else { return false }
            state.isSleeping = true
            return true
        }
    }

    /// Refuses further commands, unless some are waiting.
    /// - Returns: false when some are waiting.
    func seal() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.phase = .sealed
            return true
        }
    }

    /// Closes the descriptor and resumes the tasks that wait for the end.
    func end() {
        let waiters = state.withLock { state in
            state.phase = .ended
            wakeup.close()
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
