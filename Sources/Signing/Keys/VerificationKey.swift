public import Foundation
public import HTTPMessages
public import PatchbayErrors
import SystemLibraries

/// A key that verifies signatures: a public key, or the shared secret of an HMAC.
///
/// ```swift
/// let key = try VerificationKey(pem: text, id: "orders-2026")
/// ```
public struct VerificationKey: Sendable {
    private enum Verifier: Sendable {
        case key(PublicKey, PublicKeyContents, SignatureScheme)
        case shared(HMACSHA256)
    }

    private let verifier: Verifier
    /// The algorithm of the signatures.
    public let algorithm: SignatureAlgorithm
    /// The name of the key, such as `keyid` and `kid`; nil without one.
    public let id: String?

    /// Reads a key of raw bytes.
    /// - Parameters:
    ///   - rawRepresentation: Ed25519: 32 bytes. P-256 and P-384: the point of 65 or 97 bytes, or its
    ///     coordinates of 64 or 96. HMAC: the secret, of at least 16 bytes. RSA keys have no raw form.
    ///   - id: the name of the key.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(_ algorithm: SignatureAlgorithm, rawRepresentation: Data, id: String? = nil) throws {
        guard let scheme = algorithm.scheme else {
            self = try Self(shared: rawRepresentation, algorithm, id)
            return
        }
        let coordinates = scheme.kind.curve.map { 2 * $0.size }
        let isPoint = rawRepresentation.count == coordinates
        guard scheme.kind != .rsa,
            let contents = PublicKeyContents(scheme.kind, isPoint ? [4] + rawRepresentation : rawRepresentation)
        else {
            throw SigningError(
                .invalidKey,
                scheme.kind == .rsa
                    ? "Invalid public key: RSA keys have no raw form; use PEM or DER."
                    : "Invalid public key: \(rawRepresentation.count) bytes; \(algorithm.rawValue) needs "
                        + (coordinates.map { "\($0 + 1) that begin with 4, or \($0)." } ?? "32."))
        }
        try self.init(contents, algorithm, id)
    }

    /// Reads a public key in DER: SubjectPublicKeyInfo (RFC 5280), or PKCS #1.
    /// - Parameter algorithm: nil for that of the key; an RSA key verifies ``SignatureAlgorithm/rsaPSSSHA512`` then.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(der: Data, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws {
        guard let contents = PublicKeyContents(der: der) else {
            throw SigningError(
                .invalidKey,
                "Invalid public key: not an Ed25519, P-256, P-384 or RSA key in SubjectPublicKeyInfo or "
                    + "PKCS #1; the point of a curve must not be compressed.")
        }
        try self.init(contents, algorithm ?? SignatureAlgorithm(contents.kind), id)
    }

    /// Reads a public key in PEM (RFC 7468): `PUBLIC KEY` or `RSA PUBLIC KEY`.
    /// - Parameter algorithm: nil for that of the key; an RSA key verifies ``SignatureAlgorithm/rsaPSSSHA512`` then.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(pem: String, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws {
        guard let pem = PEMText(pem, labels: ["PUBLIC KEY", "RSA PUBLIC KEY"]) else {
            throw SigningError(
                .invalidKey, "Invalid public key: no PEM block PUBLIC KEY or RSA PUBLIC KEY.")
        }
        try self.init(der: pem.data, algorithm: algorithm, id: id)
    }

    init(shared secret: Data, _ algorithm: SignatureAlgorithm, _ id: String?) throws {
        guard secret.count >= 16 else {
            throw SigningError(
                .invalidKey, "Invalid shared secret: \(secret.count) bytes; use at least 16, better 32 random ones.")
        }
        verifier = .shared(HMACSHA256(key: [UInt8](secret)))
        self.algorithm = algorithm
        self.id = id
    }

    init(_ contents: PublicKeyContents, _ algorithm: SignatureAlgorithm, _ id: String?) throws {
        guard let scheme = algorithm.scheme, scheme.accepts(contents.kind) else {
            throw SigningError(
                .invalidKey,
                "Invalid public key: a key of the kind \(contents.kind) has no signatures of \(algorithm.rawValue).")
        }
        if contents.kind.isRSA {
            let bits =
                RSAPublicKeyEncoding.numbers(ofPublic: contents.bytes).map {
                    RSAPublicKeyEncoding.bitCount($0.modulus)
                } ?? 0
            guard bits >= 2048 else {
                throw SigningError(.invalidKey, "RSA key too short: \(bits) bits; use 2048 or more (RFC 9421).")
            }
        }
        do {
            verifier = .key(try PublicKey(contents), contents, scheme)
        } catch {
            guard error.code == .invalidData else { throw error }
            throw SigningError(.invalidKey, "Invalid public key: \(error.message)", underlying: error)
        }
        self.algorithm = algorithm
        self.id = id
    }

    /// The public key in DER, as SubjectPublicKeyInfo; nil for a shared secret.
    public var der: Data? { contents?.der }

    private var contents: PublicKeyContents? { if case .key(_, let contents, _) = verifier { contents } else { nil } }

    /// Verifies a signature.
    /// - Returns: false for an invalid signature, of any length.
    /// - Throws: ``SigningError`` (`signing`) if the system's library cannot verify.
    public func isValid(_ signature: Data, of data: Data) throws(SigningError) -> Bool {
        try isValid([UInt8](signature), of: [UInt8](data))
    }

    /// Verifies a signature of bytes.
    func isValid(_ signature: [UInt8], of bytes: [UInt8]) throws(SigningError) -> Bool {
        switch verifier {
        case .shared(let hash): return hash.code(of: bytes).isEqualInConstantTime(to: signature)
        case .key(let key, _, let scheme):
            do {
                return try key.isValid(signature, of: bytes, scheme)
            } catch {
                throw SigningError(.signing, "The key could not verify: \(error.message)", underlying: error)
            }
        }
    }
}

extension VerificationKey: RedactedStringConvertible {
    /// The algorithm and the name.
    public var description: String {
        "\(algorithm.rawValue) verification key\(id.map { " \($0.debugDescription)" } ?? "")"
    }
}

// MARK: JSON Web Keys

extension VerificationKey {
    /// The public key as a JSON Web Key (RFC 7517, RFC 8037) with its required members only; nil for a shared secret.
    public var jwk: JSONValue? {
        jwkMembers.map { members in
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, .string($0.value)) }))
        }
    }

    /// The SHA-256 thumbprint of ``jwk`` in base64url (RFC 7638), such as `jkt` of DPoP; nil for a shared secret.
    public var jwkThumbprint: String? {
        guard let members = jwkMembers else { return nil }
        // All values are base64url or names: nothing to escape.
        let text = "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return (try? MessageDigest.digest(of: Array(text.utf8), .sha256)).map { Data($0).base64URLEncodedString() }
    }

    /// The required members, ordered by their names.
    private var jwkMembers: [(name: String, value: String)]? {
        guard let contents else { return nil }
        let bytes = contents.bytes
        switch contents.kind {
        case .ed25519:
            return [("crv", "Ed25519"), ("kty", "OKP"), ("x", bytes.base64URLEncodedString())]
        case .p256: return Self.jwkMembers(of: bytes, on: .p256)
        case .p384: return Self.jwkMembers(of: bytes, on: .p384)
        case .rsa, .rsaPSS:
            return RSAPublicKeyEncoding.numbers(ofPublic: bytes).map {
                [
                    ("e", $0.exponent.base64URLEncodedString()), ("kty", "RSA"),
                    ("n", $0.modulus.base64URLEncodedString()),
                ]
            }
        }
    }

    private static func jwkMembers(of point: Data, on curve: EllipticCurve) -> [(name: String, value: String)] {
        let coordinates = point.dropFirst()
        return [
            ("crv", curve.name), ("kty", "EC"), ("x", Data(coordinates.prefix(curve.size)).base64URLEncodedString()),
            ("y", Data(coordinates.suffix(curve.size)).base64URLEncodedString()),
        ]
    }
}
