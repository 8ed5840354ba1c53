/// State machine without I/O that pauses and resumes the queue with the app's state.
///
/// | from | event | to |
/// |---|---|---|
/// | foreground | app entered the background, setting off | paused |
/// | foreground | app entered the background, setting on | continuing |
/// | continuing | background task expired | paused |
/// | any | app entered the foreground | foreground |
///
/// A background task is held in state `continuing` while requests are unfinished. Tasks are numbered because the expiry
/// of an earlier task can arrive after the next one began.
struct BackgroundState: Sendable {
    enum Event: Hashable, Sendable {
        /// The app entered the background; `continues` is the setting at that time.
        case enteredBackground(continues: Bool)
        case enteredForeground
        case requestAdded
        case requestFinished
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
    }

    private var phase = Phase.foreground
    private var unfinishedRequests = 0
    private var lastTask = 0
    private var hasTask = false

    mutating func handle(_ event: Event) -> [Action] {
        let before = phase
        switch event {
        case .enteredBackground(let continues): if phase == .foreground { phase = continues ? .continuing : .paused }
        case .enteredForeground: phase = .foreground
        case .requestAdded: unfinishedRequests += 1
        case .requestFinished: unfinishedRequests -= 1
        case .taskExpired(let task): if phase == .continuing, hasTask, task == lastTask { phase = .paused }
        }
        var actions: [Action] = []
        if before != .paused, phase == .paused { actions.append(.pause) }
        let needsTask = phase == .continuing && unfinishedRequests > 0
        if needsTask, !hasTask { lastTask += 1 }
        if needsTask != hasTask { actions.append(needsTask ? .beginTask(lastTask) : .endTask) }
        hasTask = needsTask
        if before == .paused, phase != .paused { actions.append(.resume) }
        return actions
    }
}
