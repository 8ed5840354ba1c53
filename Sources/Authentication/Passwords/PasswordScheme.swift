/// A scheme of authentication by password.
@nonexhaustive public enum PasswordScheme: Hashable, Sendable, CaseIterable {
    /// Basic (RFC 7617): sends the password itself.
    case basic
    /// Digest (RFC 7616): sends a hash that proves the knowledge of the password.
    case digest
}
