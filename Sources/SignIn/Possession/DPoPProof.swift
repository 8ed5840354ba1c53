import Authentication
import Foundation
import HTTPMessages
import PatchbayErrors
import Signing
import Synchronization
import SystemLibraries

/// The proofs of one key: DPoP (RFC 9449).
///
/// Each request gets a proof of its own, for its method and URL at the server's time, with the latest nonce of its
/// origin. An origin that refuses a proof with a token for its time gets the next ones at its own; token requests have
/// the time of the client's clock, which follows their responses.
final class DPoPProof: PossessionProof {
    /// The algorithm: ECDSA P-256 with SHA-256.
    static let algorithm = "ES256"
    /// Maximum number of origins whose nonces are kept.
    private static let capacity = 100
    private static let field = "DPoP"

    let tokenType = "DPoP"
    let nonceError = "use_dpop_nonce"
    let proofError = "invalid_dpop_proof"
    /// The thumbprint of the public key (RFC 7638).
    let thumbprint: String
    private let key: SigningKey
    /// The header of each proof, in base64url.
    private let header: String
    private let clock: ServerClock
    private let clocks: OriginClocks
    private let nonces = Mutex<[Origin: String]>([:])

    /// - Throws: ``SignInError`` (`invalidConfiguration`) for another kind of key.
    init(_ key: SigningKey, clock: ServerClock) throws {
        guard key.algorithm == .ecdsaP256SHA256, let jwk = key.verificationKey.jwk,
            let thumbprint = key.verificationKey.jwkThumbprint
        else {
            throw SignInError(
                .invalidConfiguration,
                "Invalid key for DPoP: its algorithm is \(key.algorithm.rawValue); use one of `.ecdsaP256SHA256`.")
        }
        self.key = key
        self.clock = clock
        clocks = OriginClocks(clock)
        self.thumbprint = thumbprint
        let header: JSONValue = ["typ": "dpop+jwt", "alg": .string(Self.algorithm), "jwk": jwk]
        self.header = try header.data().base64URLEncodedString()
    }

    /// Adds the fields `DPoP` and, with a token, `Authorization` (sections 4.2 and 7.1).
    func prove(_ request: inout HTTPRequest, with token: OAuthToken?) throws {
        let origin = request.origin
        let skew = token == nil ? clock.skew : clocks.skew(of: origin)
        var random = SystemRandomNumberGenerator()
        var claims: [String: JSONValue] = [
            "jti": .string(SecretText.random(using: &random)), "htm": .string(request.method.name),
            "htu": .string(String(request.url.absoluteString.prefix { $0 != "?" && $0 != "#" })),
            "iat": .integer(Int64(clocks.now(skew: skew).timeIntervalSince1970)),
        ]
        claims["nonce"] = nonces.withLock { $0[origin] }.map { .string($0) }
        if let token {
            claims["ath"] = .string(try SecretText.challenge(of: token.value))
            try request.fields.set(.authorization, to: "\(tokenType) \(token.value)")
        }
        let signed = "\(header).\(try JSONValue.object(claims).data().base64URLEncodedString())"
        let signature = try key.signature(of: Data(signed.utf8)).base64URLEncodedString()
        try request.fields.set(Self.field, to: "\(signed).\(signature)")
    }

    /// Keeps the field `DPoP-Nonce` (section 8.2), and the time of a server that has refused a proof.
    func learn(from response: HTTPResponseHead) {
        followClock(of: response)
        guard let nonce = response.fields["DPoP-Nonce"], !nonce.isEmpty, nonce.utf8.count <= 4096 else { return }
        let origin = Origin(response.url)
        nonces.withLock { nonces in
            if nonces[origin] == nil, nonces.count >= Self.capacity { nonces.removeAll() }
            nonces[origin] = nonce
        }
    }

    private func followClock(of response: HTTPResponseHead) {
        guard isDemand(response) else { return }
        let origin = Origin(response.url)
        let skew = clocks.skew(of: origin)
        if let difference = clocks.difference(of: response, skew: skew) {
            _ = clocks.follow(origin, from: skew, by: difference)
        }
    }
}

extension DPoPProof: RedactedStringConvertible {
    /// The kind of proofs.
    var description: String { "DPoP proofs" }
}
