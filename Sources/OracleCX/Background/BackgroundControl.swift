import Queueing
import Synchronization

/// Does with a queue what the app's state asks for.
final class BackgroundControl: Sendable {
    private struct State {
        var background = BackgroundState()
        var actions: [BackgroundState.Action] = []
        var isActing = false
        var endTime: (@Sendable () -> Void)?
        var endObservation: (@Sendable () -> Void)?
    }

    private let queue: RequestQueue
    private let lifecycle: any ORAAppLifecycle
    private let state = Mutex(State())

    /// - Parameter settings: is asked at each transition to the background whether requests go on there.
    init(queue: RequestQueue, settings: ORASettingsStore, lifecycle: any ORAAppLifecycle) {
        self.queue = queue
        self.lifecycle = lifecycle
        let end = lifecycle.observe { [weak self] appState in
            switch appState {
            case .foreground:
                self?.tell(.enteredForeground)
            case .background:
                self?.tell(.enteredBackground(goesOn: ORACoreDataContainer(store: settings).isBackgroundTaskEnabled))
            }
        }
        state.withLock { $0.endObservation = end }
    }

    deinit {
        let (endObservation, endTime) = state.withLock { ($0.endObservation, $0.endTime) }
        endObservation?()
        endTime?()
    }

    /// Something has happened. Actions are done in the order of their events, by one thread at a time.
    func tell(_ event: BackgroundState.Event) {
        let acts = state.withLock { state in
            state.actions += state.background.handle(event)
            guard !state.isActing, !state.actions.isEmpty else { return false }
            state.isActing = true
            return true
        }
        guard acts else { return }
        while let action = nextAction() { perform(action) }
    }

    private func nextAction() -> BackgroundState.Action? {
        state.withLock { state in
            state.isActing = !state.actions.isEmpty
            return state.isActing ? state.actions.removeFirst() : nil
        }
    }

    private func perform(_ action: BackgroundState.Action) {
        switch action {
        case .pause: queue.pause(.background)
        case .resume: queue.resume(.background)
        case .beginTime(let time):
            let end = lifecycle.beginBackgroundTime { [weak self] in self?.tell(.timeExpired(time)) }
            state.withLock { $0.endTime = end }
        case .endTime:
            state.withLock { state in
                defer { state.endTime = nil }
                return state.endTime
            }?()
        }
    }
}

extension PauseReason {
    /// The app is in the background. A pause of the program's own is none of it.
    fileprivate static let background = PauseReason("background")
}
