import Foundation
import Synchronization

/// Sends heartbeats while the app is registered.
final class Heartbeat: Sendable {
    private struct State {
        var interval: TimeInterval
        var task: Task<Void, Never>?
        /// Sends one; returns false when the service is gone.
        var send: (@Sendable () async -> Bool)?
    }

    private let clock: any Clock<Duration>
    private let state: Mutex<State>

    init(interval: TimeInterval, clock: some Clock<Duration>) {
        self.clock = clock
        state = Mutex(State(interval: interval))
    }

    deinit { state.withLock(\.task)?.cancel() }

    /// Starts the heartbeats of a service, unless they run. The service is not retained.
    func start(for service: AuthorizationService) {
        state.withLock { state in
            guard state.send == nil else { return }
            state.send = { [weak service] in
                guard let service else { return false }
                await service.sendHeartbeat()
                return true
            }
            restart(&state)
        }
    }

    /// Sets the interval in seconds; zero or less ends the heartbeats.
    func setInterval(_ interval: TimeInterval) {
        state.withLock { state in
            state.interval = interval
            restart(&state)
        }
    }

    private func restart(_ state: inout State) {
        state.task?.cancel()
        state.task = nil
        guard state.interval > 0, state.interval.isFinite, let send = state.send else { return }
        let interval = Duration.seconds(min(state.interval, 1e9))
        let clock = clock
        // Detached: it outlives the authorization that starts it.
        state.task = Task.detached {
            while (try? await clock.sleep(for: interval)) != nil {
                guard await send() else { return }
            }
        }
    }
}
