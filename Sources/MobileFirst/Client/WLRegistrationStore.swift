public import Foundation

/// Keeps the app's registration with the server: the client ID and a private key, as opaque data that is a **secret**.
///
/// A store that fails to load, such as a locked keychain, leads to a new registration.
public protocol WLRegistrationStore: Sendable {
    /// The stored registration; nil without one.
    func load() throws -> Data?
    /// Replaces the registration; nil deletes it.
    func save(_ registration: Data?) throws
}
