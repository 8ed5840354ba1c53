public import Foundation

/// Keeps the registrations of apps with servers, such as in the keychain: their identifiers are **secrets**.
///
/// The methods are called on any thread.
public protocol SMPRegistrationStore: Sendable {
    /// The registration of an application with a server; nil without one.
    func load(_ applicationID: String, at server: URL) throws -> SMPRegistration?
    /// Replaces the registration of an application with a server; nil removes it.
    func save(_ registration: SMPRegistration?, of applicationID: String, at server: URL) throws
}
