public import PatchbayErrors

/// Credentials of AWS: long-lived, or of a session.
public struct AWSCredentials: Hashable, Sendable {
    /// The access key ID, which is not secret.
    public let accessKeyID: String
    /// The secret access key.
    public let secretAccessKey: String
    /// The token of temporary credentials; nil for others.
    public let sessionToken: String?

    /// Creates credentials.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: RedactedStringConvertible {
    /// The access key ID.
    public var description: String { "AWS credentials \(accessKeyID)" }
}
