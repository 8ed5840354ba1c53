public import Foundation
public import PatchbayErrors
import SystemLibraries

/// A secret key that signs: Ed25519, ECDSA, RSA or a shared secret, with its algorithm and name.
///
/// ```swift
/// let key = try SigningKey(pem: String(contentsOf: file, encoding: .utf8), id: "orders-2026")
/// let signature = try key.signature(of: Data("text".utf8))
/// try key.verificationKey.isValid(signature, of: Data("text".utf8))     // true
/// ```
///
/// CryptoKit and Security hold keys on Apple platforms. On others it is OpenSSL's libcrypto, which is loaded when the
/// first key is made. A shared secret needs neither.
public struct SigningKey: Sendable {
    private enum Secret: Sendable {
        case key(PrivateKey, PrivateKeyContents, SignatureScheme)
        case shared(HMACSHA256, Data)
    }

    private let secret: Secret
    /// The key that verifies: the public key, or the same shared secret.
    public let verificationKey: VerificationKey

    /// The algorithm of the signatures.
    public var algorithm: SignatureAlgorithm { verificationKey.algorithm }
    /// The name by which the other side finds the key, such as `keyid` and `kid`; nil without one.
    public var id: String? { verificationKey.id }

    /// Reads a key of raw bytes.
    /// - Parameters:
    ///   - rawRepresentation: Ed25519: the seed of 32 bytes (RFC 8032). P-256 and P-384: the number of 32 or 48
    ///     bytes, big-endian. HMAC: the secret, of at least 16 bytes. RSA keys have no raw form.
    ///   - id: the name of the key.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(_ algorithm: SignatureAlgorithm, rawRepresentation: Data, id: String? = nil) throws {
        guard let scheme = algorithm.scheme else {
            self = try Self(shared: rawRepresentation, algorithm, id)
            return
        }
        guard scheme.kind != .rsa, let contents = PrivateKeyContents(scheme.kind, rawRepresentation) else {
            throw SigningError(
                .invalidKey,
                scheme.kind == .rsa
                    ? "Invalid private key: RSA keys have no raw form; use PEM or DER."
                    : "Invalid private key: \(rawRepresentation.count) bytes; "
                        + "\(algorithm.rawValue) needs \(scheme.kind.curve?.size ?? 32).")
        }
        try self.init(contents, algorithm, id)
    }

    /// Reads a private key in DER: PKCS #8 (RFC 5958), PKCS #1 or SEC 1 (RFC 5915), not encrypted.
    /// - Parameter algorithm: nil for that of the key; an RSA key signs with ``SignatureAlgorithm/rsaPSSSHA512`` then.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(der: Data, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws {
        guard let contents = PrivateKeyContents(der: der) else {
            throw SigningError(
                .invalidKey,
                "Invalid private key: not an Ed25519, P-256, P-384 or RSA key in PKCS #8, PKCS #1 or SEC 1.")
        }
        try self.init(contents, algorithm ?? SignatureAlgorithm(contents.kind), id)
    }

    /// Reads a private key in PEM (RFC 7468): `PRIVATE KEY`, `EC PRIVATE KEY` or `RSA PRIVATE KEY`, not encrypted.
    /// - Parameter algorithm: nil for that of the key; an RSA key signs with ``SignatureAlgorithm/rsaPSSSHA512`` then.
    /// - Throws: ``SigningError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(pem: String, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws {
        guard let pem = PEMText(pem, labels: ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]) else {
            throw SigningError(
                .invalidKey,
                "Invalid private key: no PEM block PRIVATE KEY, EC PRIVATE KEY or RSA PRIVATE KEY; "
                    + "decrypt an encrypted key first.")
        }
        try self.init(der: pem.data, algorithm: algorithm, id: id)
    }

    private init(shared secret: Data, _ algorithm: SignatureAlgorithm, _ id: String?) throws {
        verificationKey = try VerificationKey(shared: secret, algorithm, id)
        self.secret = .shared(HMACSHA256(key: [UInt8](secret)), secret)
    }

    private init(_ contents: PrivateKeyContents, _ algorithm: SignatureAlgorithm, _ id: String?) throws {
        guard let scheme = algorithm.scheme, scheme.accepts(contents.kind) else {
            throw SigningError(
                .invalidKey,
                "Invalid private key: a key of the kind \(contents.kind) cannot sign with \(algorithm.rawValue).")
        }
        do {
            let key = try PrivateKey(contents)
            secret = .key(key, contents, scheme)
            verificationKey = try VerificationKey(key.publicContents(), algorithm, id)
        } catch let error as SystemLibraryError where [.invalidData, .failed].contains(error.code) {
            throw SigningError(.invalidKey, "Invalid private key: \(error.message)", underlying: error)
        }
    }

    /// Generates a key; RSA keys have 3072 bits, a shared secret has 32 random bytes.
    /// - Throws: ``SigningError`` (`signing`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public static func generate(_ algorithm: SignatureAlgorithm, id: String? = nil) throws -> SigningKey {
        guard let scheme = algorithm.scheme else {
            var random = SystemRandomNumberGenerator()
            let secret = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            return try SigningKey(algorithm, rawRepresentation: secret, id: id)
        }
        do {
            return try SigningKey(PrivateKey.generate(scheme.kind, bits: 3072), algorithm, id)
        } catch let error as SystemLibraryError where error.code == .failed {
            throw SigningError(.signing, error.message, underlying: error)
        }
    }

    /// The key in PKCS #8 DER, or the shared secret: for a keychain, or a file that only the owner can read.
    public var secretRepresentation: Data {
        switch secret {
        case .key(_, let contents, _): contents.der
        case .shared(_, let bytes): bytes
        }
    }

    /// Signs data.
    /// - Returns: 64 bytes for Ed25519 and P-256 (r and s), 96 for P-384, the length of the modulus for RSA, 32 for
    ///   HMAC.
    /// - Throws: ``SigningError`` (`signing`).
    public func signature(of data: Data) throws(SigningError) -> Data { Data(try signature(of: [UInt8](data))) }

    /// Signs bytes.
    func signature(of bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        switch secret {
        case .shared(let hash, _): return hash.code(of: bytes)
        case .key(let key, _, let scheme):
            do {
                return try key.signature(of: bytes, scheme)
            } catch {
                throw SigningError(.signing, "The key could not sign: \(error.message)", underlying: error)
            }
        }
    }
}

extension SigningKey: RedactedStringConvertible {
    /// The algorithm and the name.
    public var description: String { "\(algorithm.rawValue) signing key\(id.map { " \($0.debugDescription)" } ?? "")" }
}
