public import Foundation
public import HTTPMessages
import Synchronization
import SystemLibraries
import Transport

/// Authentication by password without a layer: Basic (RFC 7617) and Digest (RFC 7616), for servers and proxies.
///
/// It chooses the strongest supported challenge of a response, authorizes requests, keeps nonces and their counts, and
/// verifies that a response comes from a server that knows the password. For a call loop of your own;
/// ``PasswordAuthorizer`` is the same for ``Authorizing``:
///
/// ```swift
/// if let challenge = try authentication.challenge(in: response.head, of: request) {
///     try authentication.authorize(&request, for: challenge, with: credential)
///     response = try await transport.send(request)
/// }
/// try authentication.verify(response.head, body: response.body, of: request)
/// ```
///
/// Use one for a client. Every method may run on any thread; none does I/O, except that a body of a file is read for
/// Digest with `qop=auth-int`.
///
/// Digest covers the request target, and counts the requests of a nonce. So authorize each attempt, retries and
/// redirects included: a field that is sent twice is a replay to the server.
public final class PasswordAuthentication: Sendable {
    private let schemes: Set<PasswordScheme>
    let spaces = Mutex(KnownSpaces())
    private let random: Mutex<any RandomNumberGenerator & Sendable>

    /// Creates an object that knows no challenge.
    /// - Parameters:
    ///   - schemes: the schemes that may be used. Without `basic`, no server gets the password itself.
    ///   - random: source of the client's nonces; it should be cryptographically secure.
    public init(
        schemes: Set<PasswordScheme> = [.basic, .digest],
        random: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.schemes = schemes
        self.random = Mutex(random)
    }

    /// The strongest supported challenge of a response; nil unless its status is 401, or 407 of a proxy.
    ///
    /// Status 407 of a server is no challenge: see `HTTPResponseHead.isProxyChallenge`.
    ///
    /// SHA-512/256, SHA-256 and MD5 of Digest precede Basic. Challenges with an unknown algorithm or `qop` are skipped.
    /// - Parameters:
    ///   - request: the request as it was sent, whose options tell what was sent.
    ///   - proxy: the URL of the proxy, for the protection space; nil for the proxy of the transport.
    /// - Throws: ``AuthenticationError``: `unsupportedChallenge`, with the names of the schemes, also if a proxy
    ///   challenges an `https` request, whose fields only reach the server; `challengeOfOtherOrigin` if a redirect led
    ///   to another origin.
    public func challenge(
        in head: HTTPResponseHead, of request: HTTPRequest, proxy: URL? = nil
    ) throws(AuthenticationError) -> PasswordChallenge? {
        let isProxy = head.isProxyChallenge
        guard isProxy || head.status == .unauthorized else { return nil }
        guard Origin(head.url) == request.origin else { throw .otherOrigin(request, head) }
        guard !isProxy || !request.origin.isSecure else {
            throw AuthenticationError(
                .unsupportedChallenge,
                "A proxy challenged an https request (status 407), whose fields reach the server only; configure the "
                    + "credential of the proxy in the transport.", request: request, head: head)
        }
        var unsupported: [String] = []
        let challenges = isProxy ? head.proxyChallenges : head.challenges
        guard let content = SupportedChallenge.strongest(of: challenges, schemes, unsupported: &unsupported) else {
            throw .unsupported(unsupported, request, head)
        }
        return PasswordChallenge(content, of: isProxy ? .proxy(proxy) : .server(request.origin), to: request)
    }

    /// Authorizes a request after a challenge, and remembers the challenge for later requests.
    /// - Parameter request: the request that was refused, before or after it was authorized. Its field is replaced.
    /// - Throws: ``AuthenticationError``: `invalidCredential` if the user or the password cannot be sent;
    ///   `bodyNotReadable` if the server requires `qop=auth-int` and the body is a stream or an unreadable file;
    ///   `challengeOfOtherOrigin`; `hashing`. The request is unchanged then.
    public func authorize(
        _ request: inout HTTPRequest, for challenge: PasswordChallenge, with credential: PasswordCredential
    ) throws(AuthenticationError) {
        let recipient = challenge.space.recipient
        guard !recipient.isProxy || !request.origin.isSecure else { throw .proxyThroughHTTPS(request) }
        guard recipient.isProxy || recipient.origin == request.origin else { throw .otherOrigin(request, nil) }
        learn(challenge)
        let sent = SentCredential(
            recipient: recipient, realm: challenge.realm, credential: credential, staleCount: challenge.staleCount)
        switch challenge.content {
        case .basic: try setBasic(&request, sent)
        case .digest(let content):
            try setDigest(&request, sent, try openSession(challenge.space, content, credential))
        }
        if !recipient.isProxy { try renewProxyCredential(&request) }
    }

    /// Authorizes a request to a URL whose challenge is known, with the credential of a store.
    /// - Parameter proxy: authorizes for this proxy too, if its challenge is known; nil for the proxy of the transport.
    /// - Returns: false if there is no such challenge or no credential; the request is unchanged then.
    /// - Throws: ``AuthenticationError``, as ``authorize(_:for:with:)``.
    @discardableResult
    public func authorizePreemptively(
        _ request: inout HTTPRequest, from store: CredentialStore, proxy: URL? = nil
    ) throws(AuthenticationError) -> Bool {
        var isAuthorized = false
        for entry in knownSpaces(of: request, proxy: proxy) {
            guard let credential = store.credential(for: entry.space) else { continue }
            try set(credential, of: entry, in: &request)
            isAuthorized = true
        }
        return isAuthorized
    }

    /// Authorizes a request to a URL whose challenge is known.
    /// - Returns: false if no challenge of the server is known; the request is unchanged then.
    /// - Throws: ``AuthenticationError``, as ``authorize(_:for:with:)``.
    @discardableResult
    public func authorizePreemptively(
        _ request: inout HTTPRequest, with credential: PasswordCredential
    ) throws(AuthenticationError) -> Bool {
        guard let space = space(of: request) else { return false }
        return try authorizeIfKnown(&request, with: credential, in: space)
    }

    /// Authorizes a request in a space whose challenge is known, on any path of its server.
    /// - Returns: false if the challenge is not known, or is of another server; the request is unchanged then.
    /// - Throws: ``AuthenticationError``, as ``authorize(_:for:with:)``.
    @discardableResult
    package func authorizePreemptively(
        _ request: inout HTTPRequest, with credential: PasswordCredential, in space: ProtectionSpace
    ) throws(AuthenticationError) -> Bool {
        let recipient = space.recipient
        guard recipient.isProxy ? !request.origin.isSecure : recipient.origin == request.origin else { return false }
        return try authorizeIfKnown(&request, with: credential, in: space)
    }

    /// Authorizes a request by Basic without any challenge, which sends the password to the server of the URL.
    /// - Parameters:
    ///   - isProxy: true authorizes for the proxy; for `http` only, otherwise the server would get the password.
    ///   - proxy: the URL of the proxy; nil for the proxy of the transport.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`, `challengeOfOtherOrigin`).
    public func authorizeBasic(
        _ request: inout HTTPRequest, with credential: PasswordCredential, isProxy: Bool = false, proxy: URL? = nil
    ) throws(AuthenticationError) {
        guard !isProxy || !request.origin.isSecure else { throw .proxyThroughHTTPS(request) }
        try setBasic(
            &request,
            SentCredential(
                recipient: isProxy ? .proxy(proxy) : .server(request.origin), realm: nil, credential: credential,
                staleCount: 0))
    }

    /// The protection space whose challenge is known for a request to a server.
    public func space(of request: HTTPRequest) -> ProtectionSpace? { space(of: request, .server(request.origin)) }

    /// Forgets the challenge and the nonces of a space.
    public func forget(_ space: ProtectionSpace) { spaces.withLock { $0.forget(space) } }

    /// Forgets all challenges and nonces.
    public func removeAll() { spaces.withLock { $0.removeAll() } }

    /// A nonce of the client: 128 random bits in hexadecimal digits.
    func makeNonce() -> String {
        let bits = random.withLock { ($0.next() as UInt64, $0.next() as UInt64) }
        let bytes = withUnsafeBytes(of: bits) { Array($0) }
        return String(decoding: bytes.hexDigits, as: UTF8.self)
    }
}

extension AuthenticationError {
    fileprivate static func otherOrigin(_ request: HTTPRequest, _ head: HTTPResponseHead?) -> AuthenticationError {
        AuthenticationError(
            .challengeOfOtherOrigin,
            "The challenge is of another origin than the request, such as after a redirect; follow redirects above the "
                + "authentication, so that each hop gets its own credential.", request: request, head: head)
    }

    fileprivate static func proxyThroughHTTPS(_ request: HTTPRequest) -> AuthenticationError {
        AuthenticationError(
            .challengeOfOtherOrigin,
            "The credential of a proxy would reach the server, since the request is https; configure it in the "
                + "transport.", request: request)
    }

    fileprivate static func unsupported(
        _ schemes: [String], _ request: HTTPRequest, _ head: HTTPResponseHead
    ) -> AuthenticationError {
        let reason =
            schemes.isEmpty
            ? "The response with status \(head.status.code) has no challenge"
            : "Unsupported authentication: \(schemes.joined(separator: ", "))"
        var error = AuthenticationError(
            .unsupportedChallenge, "\(reason); configure the server to offer Digest or Basic.", request: request,
            head: head)
        error.unsupportedSchemes = schemes
        return error
    }
}
