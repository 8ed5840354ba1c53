import Foundation
public import HTTPMessages
public import PatchbayErrors
import Transport

/// Basic authentication (RFC 7617), for a server or a proxy.
///
/// ```swift
/// let transport = URLSessionTransport.shared.authorizing(
///     with: try .basic(user: "app", password: password), at: try AllowedOrigins("https://example.com"))
/// ```
///
/// The credential is sent with the first request, without waiting for a challenge.
public struct BasicAuthorizer: Authorizer {
    /// The recipient of the credential.
    public enum Recipient: Hashable, Sendable {
        /// The server: `Authorization`, and challenges of status 401.
        case server
        /// The proxy: `Proxy-Authorization`, and challenges of status 407 for which the transport has set
        /// `HTTPResponseHead.isProxyChallenge`. For `http` URLs only: through `https` the field would reach the server
        /// instead of the proxy. A transport does not send the field to a server.
        case proxy
    }

    /// The encoding of user and password.
    public enum Encoding: Hashable, Sendable {
        /// UTF-8 in normalization form C.
        case utf8
        /// ISO 8859-1, for old servers; a challenge with `charset="UTF-8"` switches to UTF-8.
        case isoLatin1
    }

    /// The recipient of the credential.
    public let recipient: Recipient
    private let preferred: FieldCredential
    private let utf8: FieldCredential

    /// Creates an authorizer.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) if the user contains a colon, user or password contain a
    ///   control character, or the encoding lacks one of their characters.
    public init(
        user: String, password: String, for recipient: Recipient = .server, encoding: Encoding = .utf8
    ) throws(AuthenticationError) {
        self.recipient = recipient
        let field = recipient == .server ? HTTPFieldName.authorization : .proxyAuthorization
        utf8 = try FieldCredential(Self.value(user: user, password: password, encoding: .utf8), in: field)
        preferred = try FieldCredential(Self.value(user: user, password: password, encoding: encoding), in: field)
    }

    /// The value of the field for a user and a password.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`).
    public static func value(
        user: String, password: String, encoding: Encoding = .utf8
    ) throws(AuthenticationError) -> String {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid user for Basic authentication: contains a colon, which separates user and password; remove it."
            )
        }
        let credential = try PasswordCredential(user: user, password: password).normalized(for: "Basic")
        let text = "\(credential.user):\(credential.password)"
        guard let bytes = encoding == .utf8 ? Data(text.utf8) : text.data(using: .isoLatin1) else {
            throw AuthenticationError(
                .invalidCredential,
                "Invalid user or password for Basic authentication: contains a character outside of ISO 8859-1; use "
                    + "`Encoding.utf8`.")
        }
        return "Basic \(bytes.base64EncodedString())"
    }

    /// One scope; nil for a proxy and a URL of `https`.
    public func scope(of request: HTTPRequest) -> SingleScope? {
        recipient == .proxy && request.origin.isSecure ? nil : SingleScope()
    }

    /// Sets the field.
    public func authorize(_ request: inout HTTPRequest, with credential: FieldCredential) {
        credential.apply(to: &request)
    }

    /// Asks for UTF-8 if a challenge does; any other challenge is returned, since the credential would be the same.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: SingleScope?
    ) -> ChallengeReaction<SingleScope> {
        guard preferred != utf8, scope != nil, wantsUTF8(response) else { return .deliver }
        return .authorize(SingleScope())
    }

    /// Returns the credential, in UTF-8 after a challenge that asks for it.
    public func obtain(
        _ need: CredentialNeed<SingleScope, FieldCredential>
    ) async throws -> IssuedCredential<FieldCredential> {
        IssuedCredential(need.challenge.map(wantsUTF8) == true ? utf8 : preferred)
    }

    private func wantsUTF8(_ response: HTTPResponseHead) -> Bool {
        let challenges =
            switch recipient {
            case .server: response.status == .unauthorized ? response.challenges : []
            case .proxy: response.isProxyChallenge ? response.proxyChallenges : []
            }
        return challenges.contains { $0.scheme == "basic" && $0["charset"]?.lowercased() == "utf-8" }
    }
}

extension BasicAuthorizer: RedactedStringConvertible {
    /// The recipient.
    public var description: String { "Basic authentication for the \(recipient)" }
}

extension Authorizer where Self == BasicAuthorizer {
    /// Basic authentication (RFC 7617).
    /// - Throws: ``AuthenticationError`` (`invalidCredential`).
    public static func basic(
        user: String, password: String, for recipient: BasicAuthorizer.Recipient = .server,
        encoding: BasicAuthorizer.Encoding = .utf8
    ) throws(AuthenticationError) -> Self {
        try BasicAuthorizer(user: user, password: password, for: recipient, encoding: encoding)
    }
}
