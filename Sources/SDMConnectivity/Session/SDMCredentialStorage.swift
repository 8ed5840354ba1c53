public import Authentication

/// Keeps passwords for requests with `useKeychainPersistence`, such as in the keychain.
///
/// The methods are called on any thread.
public protocol SDMCredentialStorage: Sendable {
    /// The password for a realm; nil if there is none.
    func credential(for space: ProtectionSpace) async throws -> PasswordCredential?
    /// Saves the password that a server accepted.
    func save(_ credential: PasswordCredential, for space: ProtectionSpace) async throws
    /// Removes the password that a server rejected.
    func remove(for space: ProtectionSpace) async throws
}
