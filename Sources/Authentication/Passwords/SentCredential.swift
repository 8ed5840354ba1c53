import HTTPMessages
import PatchbayErrors

/// The credential that a request was sent with.
struct SentCredential: Hashable, Sendable {
    let recipient: ProtectionSpace.Recipient
    /// Nil if it was sent without a challenge, for any realm.
    let realm: String?
    let credential: PasswordCredential
    /// Nil for Basic.
    var digest: DigestExchange?
    /// The number of challenges for this request that were out of date, in a row.
    let staleCount: Int

    func belongs(to space: ProtectionSpace) -> Bool {
        recipient == space.recipient && (realm == nil || realm == space.realm)
    }
}

/// The credentials of a request, for its server and for the proxy.
struct SentCredentials: Hashable, Sendable {
    var server: SentCredential?
    var proxy: SentCredential?

    subscript(isProxy isProxy: Bool) -> SentCredential? {
        get { isProxy ? proxy : server }
        set { if isProxy { proxy = newValue } else { server = newValue } }
    }
}

extension SentCredentials: RedactedStringConvertible {
    /// The recipients of the credentials.
    var description: String {
        let recipients = [server.map { _ in "server" }, proxy.map { _ in "proxy" }].compactMap(\.self)
        return "credentials for \(recipients.joined(separator: ", "))"
    }
}

private enum SentCredentialsKey: RequestOptionKey { static let defaultValue = SentCredentials() }

extension RequestOptions {
    /// What ``PasswordAuthentication`` has added to the request, to understand its response.
    var sentCredentials: SentCredentials {
        get { hasLayerOptions ? self[SentCredentialsKey.self] : SentCredentials() }
        set { self[SentCredentialsKey.self] = newValue }
    }
}
