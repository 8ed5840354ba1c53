import Foundation
import HTTPMessages
public import PatchbayErrors

/// A user and a password, for Basic and Digest authentication.
public struct PasswordCredential: Hashable, Sendable {
    /// The user.
    public let user: String
    /// The password.
    public let password: String

    /// Creates a credential.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension PasswordCredential {
    /// The credential as it is sent: in normalization form C (RFC 7617, section 2.1, and RFC 7616, section 4).
    /// - Parameter scheme: for errors.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) if it contains a control character.
    func normalized(for scheme: String) throws(AuthenticationError) -> PasswordCredential {
        guard "\(user)\(password)".unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid user or password for \(scheme) authentication: contains a control character; remove it.")
        }
        return PasswordCredential(
            user: user.precomposedStringWithCanonicalMapping,
            password: password.precomposedStringWithCanonicalMapping)
    }
}

extension PasswordCredential: RedactedStringConvertible {
    /// Neither the user nor the password.
    public var description: String { "user and password \(Redaction.placeholder)" }
}
