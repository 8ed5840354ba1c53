import Coordination
import Foundation

/// The registration in memory and in the store.
final class RegistrationKeeper: Sendable {
    struct State: Sendable {
        fileprivate var isLoaded = false
        /// Nil without one, and before it is loaded.
        fileprivate(set) var registration: Registration?
        private var isSaving = false
        private var isSaved = true

        /// Sets the registration, which has to be saved then.
        fileprivate mutating func set(_ registration: Registration?) {
            (isLoaded, isSaved, self.registration) = (true, false, registration)
        }

        /// True if the caller has to save, until ``nextSave()`` returns nil.
        fileprivate mutating func beginSave() -> Bool {
            defer { isSaving = true }
            return !isSaving
        }

        /// Takes the registration to save; nil if there is nothing left to save.
        fileprivate mutating func nextSave() -> Registration?? {
            guard !isSaved else {
                isSaving = false
                return nil
            }
            isSaved = true
            return .some(registration)
        }
    }

    /// The registration at a time. A deletion ends what is current.
    typealias Snapshot = Session<State, Never>.Snapshot

    private let store: any WLRegistrationStore
    private let warn: @Sendable (String) -> Void
    /// The server's registrations have no user.
    private let session = Session<State, Never>(State())

    init(_ store: some WLRegistrationStore, warn: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.warn = warn
    }

    /// The registration in memory, without a look into the store.
    var snapshot: Snapshot { session.snapshot }

    /// False if all registrations were deleted since a snapshot.
    func isCurrent(_ snapshot: Snapshot) -> Bool { session.isCurrent(snapshot) }

    /// The registration, from the store at first; nil if there is none or it cannot be read.
    func current() -> Registration? {
        if session.read(\.isLoaded) { return session.read(\.registration) }
        var registration: Registration?
        do {
            registration = try store.load().flatMap { Registration(stored: $0) }
        } catch {
            warn("The stored registration cannot be read, so the app registers again.")
        }
        return session.change { [registration] state in
            if !state.isLoaded { (state.isLoaded, state.registration) = (true, registration) }
            return state.registration
        }
    }

    /// Keeps a registration, unless all were deleted since a snapshot.
    func keep(_ registration: Registration, from start: Snapshot) {
        if session.keep(from: start, { $0.set(registration) }) { save() }
    }

    /// Deletes the registration.
    func forget() {
        session.reset { $0.set(nil) }
        save()
    }

    /// Saves the registration, one save at a time: the store ends with the last change.
    private func save() {
        guard session.change({ $0.beginSave() }) else { return }
        while let registration = session.change({ $0.nextSave() }) {
            do {
                try store.save(registration?.encoded())
            } catch {
                warn("The registration cannot be stored, so the app registers again at its next start.")
            }
        }
    }
}
