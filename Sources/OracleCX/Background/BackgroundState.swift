/// State machine without I/O that pauses and resumes the queue with the app's state.
///
/// | from | event | to |
/// |---|---|---|
/// | foreground | app entered the background, setting off | paused |
/// | foreground | app entered the background, setting on | continuing |
/// | paused, continuing | background task expired | expired |
/// | any | app entered the foreground | foreground |
///
/// The queue is paused in the states `paused` and `expired`. A background task is held in state `continuing` while
/// requests are unfinished, and in state `paused` while attempts run. Tasks are numbered because the expiry of an
/// earlier task can arrive after the next one began.
struct BackgroundState: Sendable {
    enum Event: Hashable, Sendable {
        /// The app entered the background; `continues` is the setting at that time.
        case enteredBackground(continues: Bool)
        case enteredForeground
        case requestAdded
        case requestFinished
        /// A request left the queue and is sent.
        case attemptStarted
        case attemptFinished
        /// The background task with this number expired.
        case taskExpired(Int)
    }
    enum Action: Hashable, Sendable {
        case pause
        case resume
        case beginTask(Int)
        /// Ends the task that began last.
        case endTask
    }
    private enum Phase: Hashable {
        case foreground
        case paused
        case continuing
        case expired
        var isPaused: Bool { self == .paused || self == .expired }
    }

    private var phase = Phase.foreground
    private var unfinishedRequests = 0
    private var runningAttempts = 0
    private var lastTask = 0
    private var hasTask = false

    mutating func handle(_ event: Event) -> [Action] {
        let before = phase
        switch event {
        case .enteredBackground(let continues): if phase == .foreground { phase = continues ? .continuing : .paused }
        case .enteredForeground: phase = .foreground
        case .requestAdded: unfinishedRequests += 1
        case .requestFinished: unfinishedRequests -= 1
        case .attemptStarted: runningAttempts += 1
        case .attemptFinished: runningAttempts -= 1
        case .taskExpired(let task): if hasTask, task == lastTask { phase = .expired }
        }
        var actions: [Action] = []
        if !before.isPaused, phase.isPaused { actions.append(.pause) }
        let needsTask = phase == .continuing && unfinishedRequests > 0 || phase == .paused && runningAttempts > 0
        if needsTask, !hasTask { lastTask += 1 }
        if needsTask != hasTask { actions.append(needsTask ? .beginTask(lastTask) : .endTask) }
        hasTask = needsTask
        if before.isPaused, !phase.isPaused { actions.append(.resume) }
        return actions
    }
}
