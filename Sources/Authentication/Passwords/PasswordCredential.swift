import HTTPMessages

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

extension PasswordCredential: CustomStringConvertible, CustomReflectable {
    /// Neither the user nor the password.
    public var description: String { "user and password \(Redaction.placeholder)" }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
