import Synchronization

/// Keeps the registrations of a connection for the process.
final class SMPRegistrationMemory: SMPRegistrationStore {
    private struct Key: Hashable {
        let server: String
        let application: String
    }

    private let registrations = Mutex<[Key: SMPRegistration]>([:])

    func registration(of application: String, at server: String) -> SMPRegistration? {
        registrations.withLock { $0[Key(server: server, application: application)] }
    }

    func set(_ registration: SMPRegistration?, of application: String, at server: String) {
        registrations.withLock { $0[Key(server: server, application: application)] = registration }
    }
}
