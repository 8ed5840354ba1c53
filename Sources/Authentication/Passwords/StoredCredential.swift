/// A credential with its protection space.
public struct StoredCredential: Hashable, Sendable {
    /// The protection space.
    public let space: ProtectionSpace
    /// The credential.
    public let credential: PasswordCredential

    /// Creates a stored credential.
    public init(_ credential: PasswordCredential, for space: ProtectionSpace) {
        self.space = space
        self.credential = credential
    }
}
