public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// A JSON Web Token, signed RS256, by which a client proves that it has its private key.
///
/// RFC 7523, sections 2.2 and 3.
public struct ClientAssertion: Sendable {
    /// The value of `client_assertion_type`.
    public static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The issuer and subject.
    public let clientID: String
    /// The token endpoint's URL, or what the server expects as `aud`.
    public let audience: String
    /// The `kid` of the header; nil omits it.
    public let keyID: String?
    /// The time from `iat` to `exp`.
    public let lifetime: Duration
    private let signer: any RS256Signer
    private let clock: ServerClock
    private let makeID: @Sendable () -> String

    /// Creates an assertion, which is signed again for each token request.
    /// - Parameters:
    ///   - clock: the server's clock; share it with the ``TokenEndpoint``, which synchronizes it.
    ///   - makeID: makes a unique `jti`.
    public init(
        clientID: String, audience: String, keyID: String? = nil, lifetime: Duration = .seconds(60),
        signer: some RS256Signer, clock: ServerClock = ServerClock(),
        makeID: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.clientID = clientID
        self.audience = audience
        self.keyID = keyID
        self.lifetime = lifetime
        self.signer = signer
        self.clock = clock
        self.makeID = makeID
    }

    /// Makes and signs a token for this moment.
    /// - Throws: ``AuthenticationError`` (`signing`), or the signer's error.
    public func token() async throws -> String {
        let now = Int64(clock.now.timeIntervalSince1970)
        var header: [String: JSONValue] = ["alg": "RS256", "typ": "JWT"]
        if let keyID { header["kid"] = .string(keyID) }
        let payload: JSONValue = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience), "jti": .string(makeID()),
            "iat": .integer(now), "exp": .integer(now + min(lifetime, .century).components.seconds),
        ]
        return try await SignedJSON(header: .object(header), payload: payload, signer: signer).compact
    }
}

extension ClientAssertion: RedactedStringConvertible {
    /// The client and the audience.
    public var description: String { "assertion of client \(clientID) for \(audience)" }
}
