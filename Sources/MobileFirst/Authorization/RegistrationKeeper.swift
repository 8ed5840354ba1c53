import Foundation
import Synchronization

/// The registration in memory and in the store.
final class RegistrationKeeper: Sendable {
    private struct State {
        var isLoaded = false
        var registration: Registration?
        /// Counts deletions, so a registration that was in flight meanwhile is dropped.
        var epoch = 0
    }

    private let store: any WLRegistrationStore
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(_ store: some WLRegistrationStore, warn: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.warn = warn
    }

    var epoch: Int { state.withLock(\.epoch) }

    /// The registration, from the store at first; nil if there is none or it cannot be read.
    func current() -> Registration? {
        if state.withLock(\.isLoaded) { return state.withLock(\.registration) }
        var registration: Registration?
        do {
            registration = try store.load().flatMap { Registration(stored: $0) }
        } catch {
            warn("The stored registration cannot be read, so the app registers again.")
        }
        return state.withLock { state in
            if !state.isLoaded { (state.isLoaded, state.registration) = (true, registration) }
            return state.registration
        }
    }

    /// Keeps a registration, unless all were deleted since `epoch`.
    func keep(_ registration: Registration, since epoch: Int) {
        let isCurrent = state.withLock { state in
            guard state.epoch == epoch else { return false }
            (state.isLoaded, state.registration) = (true, registration)
            return true
        }
        if isCurrent { save { try registration.encoded() } }
    }

    /// Deletes the registration.
    func forget() {
        state.withLock { state in
            (state.isLoaded, state.registration) = (true, nil)
            state.epoch += 1
        }
        save { nil }
    }

    private func save(_ data: () throws -> Data?) {
        do {
            try store.save(data())
        } catch {
            warn("The registration cannot be stored, so the app registers again at its next start.")
        }
    }
}
