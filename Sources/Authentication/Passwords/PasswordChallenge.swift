import HTTPMessages
public import PatchbayErrors

/// The strongest supported challenge of a response.
public struct PasswordChallenge: Hashable, Sendable {
    /// The protection space.
    public let space: ProtectionSpace
    /// The credential for ``space`` that the refused request was sent with; nil without one.
    public let sent: PasswordCredential?
    /// True if ``sent`` was not judged, since its nonce was out of date: authorize the request again with it, without
    /// asking.
    ///
    /// So it is after `stale=true`, up to three times in a row. And so it is if the server had accepted the nonce
    /// before, and the new challenge has another one, since some servers forget their nonces without saying so.
    public let isStale: Bool
    let content: SupportedChallenge
    /// The path of the refused request.
    let path: String
    /// The number of challenges in a row that were stale, this one included.
    let staleCount: Int

    /// The scheme.
    public var scheme: PasswordScheme { content.scheme }
    /// The realm.
    public var realm: String { space.realm }
    /// True for a challenge of a proxy: status 407.
    public var isProxy: Bool { space.isProxy }
    /// The credential that the server rejected; nil if none was sent, or it was not judged.
    public var rejected: PasswordCredential? { isStale ? nil : sent }

    private static let maximumStaleCount = 3

    init(
        _ content: SupportedChallenge, of recipient: ProtectionSpace.Recipient, to request: HTTPRequest
    ) {
        let space = ProtectionSpace(recipient, realm: content.realm)
        let sent = request.options.sentCredentials[isProxy: recipient.isProxy].flatMap {
            $0.belongs(to: space) ? $0 : nil
        }
        self.content = content
        self.space = space
        self.sent = sent?.credential
        path = recipient.isProxy ? "" : request.digestURI(forProxy: false)
        isStale = sent.map { Self.isStale(content, $0) } ?? false
        staleCount = isStale ? (sent?.staleCount ?? 0) + 1 : 0
    }

    private static func isStale(_ content: SupportedChallenge, _ sent: SentCredential) -> Bool {
        guard case .digest(let challenge) = content, sent.staleCount < maximumStaleCount else { return false }
        // Sent by Basic without a challenge, which says nothing about the password.
        guard let session = sent.digest?.session else { return true }
        return challenge.isStale || (session.isAccepted && challenge.nonce != session.nonce.value)
    }
}

extension PasswordChallenge: RedactedStringConvertible {
    /// The scheme and the protection space.
    public var description: String { "\(scheme) challenge of \(space)\(isStale ? ", stale" : "")" }
}
