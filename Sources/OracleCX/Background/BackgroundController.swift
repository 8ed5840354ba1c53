import Queueing
import Synchronization

/// Feeds app lifecycle events to a `BackgroundState` and applies its actions to the queue.
final class BackgroundController: Sendable {
    private struct State {
        var background = BackgroundState()
        var actions: [BackgroundState.Action] = []
        var isPerforming = false
        var endTask: (@Sendable () -> Void)?
        var endObservation: (@Sendable () -> Void)?
    }

    private let queue: RequestQueue
    private let lifecycle: any ORAAppLifecycle
    private let state = Mutex(State())

    /// - Parameter settings: store of ``ORAConfigHTTPBackgroundTaskEnabled``, read at each transition to the
    ///   background.
    init(queue: RequestQueue, settings: ORASettingsStore, lifecycle: any ORAAppLifecycle) {
        self.queue = queue
        self.lifecycle = lifecycle
        let end = lifecycle.observe { [weak self] appState in
            switch appState {
            case .foreground:
                self?.handle(.enteredForeground)
            case .background:
                let continues = ORACoreDataContainer(store: settings).isBackgroundTaskEnabled
                self?.handle(.enteredBackground(continues: continues))
            }
        }
        state.withLock { $0.endObservation = end }
    }

    deinit {
        let (endObservation, endTask) = state.withLock { ($0.endObservation, $0.endTask) }
        endObservation?()
        endTask?()
    }

    /// Handles an event. Actions run in event order, on one thread at a time, outside the lock.
    func handle(_ event: BackgroundState.Event) {
        let shouldPerform = state.withLock { state in
            state.actions += state.background.handle(event)
            guard !state.isPerforming, !state.actions.isEmpty else { return false }
            state.isPerforming = true
            return true
        }
        guard shouldPerform else { return }
        while let action = nextAction() { perform(action) }
    }

    private func nextAction() -> BackgroundState.Action? {
        state.withLock { state in
            state.isPerforming = !state.actions.isEmpty
            return state.isPerforming ? state.actions.removeFirst() : nil
        }
    }

    private func perform(_ action: BackgroundState.Action) {
        switch action {
        case .pause: queue.pause(.background)
        case .resume: queue.resume(.background)
        case .beginTask(let id):
            let end = lifecycle.beginBackgroundTask { [weak self] in self?.handle(.taskExpired(id)) }
            state.withLock { $0.endTask = end }
        case .endTask:
            state.withLock { state in
                defer { state.endTask = nil }
                return state.endTask
            }?()
        }
    }
}

extension PauseReason {
    /// Pause while the app is in the background; independent of pauses by the app.
    fileprivate static let background = PauseReason("background")
}
