import Foundation
import Synchronization

/// The registration in memory and in the store.
final class RegistrationKeeper: Sendable {
    private struct State {
        var isLoaded = false
        var registration: Registration?
        /// Counts deletions, so a registration that was in flight meanwhile is dropped.
        var epoch = 0
        var isSaving = false
        var isSaved = true

        /// True if the caller has to save, until ``nextSave()`` returns nil.
        mutating func beginSave() -> Bool {
            isSaved = false
            defer { isSaving = true }
            return !isSaving
        }

        /// Takes the registration to save; nil if there is nothing left to save.
        mutating func nextSave() -> Registration?? {
            guard !isSaved else {
                isSaving = false
                return nil
            }
            isSaved = true
            return .some(registration)
        }
    }

    private let store: any WLRegistrationStore
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(_ store: some WLRegistrationStore, warn: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.warn = warn
    }

    var epoch: Int { state.withLock(\.epoch) }

    /// The epoch with the registration in memory, without a look into the store.
    var snapshot: (epoch: Int, registration: Registration?) { state.withLock { ($0.epoch, $0.registration) } }

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
        save { state in
            guard state.epoch == epoch else { return false }
            (state.isLoaded, state.registration) = (true, registration)
            return true
        }
    }

    /// Deletes the registration.
    func forget() {
        save { state in
            (state.isLoaded, state.registration) = (true, nil)
            state.epoch += 1
            return true
        }
    }

    /// Changes the registration and saves it, one save at a time: the store ends with the last change.
    /// - Parameter change: returns false if it changes nothing.
    private func save(_ change: (inout State) -> Bool) {
        guard state.withLock({ change(&$0) && $0.beginSave() }) else { return }
        while let registration = state.withLock({ $0.nextSave() }) {
            do {
                try store.save(registration?.encoded())
            } catch {
                warn("The registration cannot be stored, so the app registers again at its next start.")
            }
        }
    }
}
