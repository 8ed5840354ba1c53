public import Foundation
import SystemLibraries

/// The public key that a server must have: the SHA-256 hash of its SubjectPublicKeyInfo in DER (RFC 7469, section 2.4).
///
/// A renewed certificate with the same key goes on working.
///
/// ```swift
/// options.pinnedPublicKeys = [
///     try PublicKeyPin("sha256/jQJTbIh0grw0/1TkHSumWb+Fs0Ggogr621gT3PvPKG0="),
///     try PublicKeyPin(ofCertificate: Data(contentsOf: backup)),
/// ]
/// ```
public struct PublicKeyPin: Hashable, Sendable {
    /// The hash, 32 bytes.
    public let sha256: Data

    /// Creates a pin from the text that OkHttp, curl and `Public-Key-Pins` use.
    /// - Parameter text: `sha256/`, also with two slashes or without it, and the hash in Base64.
    /// - Throws: `TransportError` (`tls`) for any other text.
    public init(_ text: String) throws(TransportError) {
        // By the length of the hash, which may begin with a slash.
        guard ["", "sha256/", "sha256//"].contains(text.dropLast(44)),
            let data = Data(base64Encoded: String(text.suffix(44))), data.count == 32
        else {
            throw TransportError(
                .tls,
                "Pinned public key is malformed: \(text.debugDescription); write sha256/ and the Base64-encoded SHA-256 "
                    + "hash of the public key.")
        }
        sha256 = data
    }

    /// Creates a pin from a public key.
    /// - Parameter publicKey: its SubjectPublicKeyInfo in DER (RFC 5280, section 4.1).
    /// - Throws: `TransportError` (`tls`) if the system cannot compute the hash.
    public init(ofPublicKey publicKey: Data) throws(TransportError) {
        do throws(SystemLibraryError) {
            sha256 = Data(try MessageDigest.digest(of: Array(publicKey), .sha256))
        } catch {
            throw TransportError(
                .tls, "The hash of a public key cannot be computed: \(error.message)", underlying: error)
        }
    }

    /// Creates a pin from the public key of a certificate.
    /// - Parameter certificate: in PEM or DER.
    /// - Throws: `TransportError` (`tls`) if it is not one certificate.
    public init(ofCertificate certificate: Data) throws(TransportError) {
        let certificates = try Certificates.data([certificate]).der()
        guard certificates.count == 1, let publicKey = CertificatePublicKey.der(ofCertificate: certificates[0]) else {
            throw TransportError(
                .tls, "\(certificate.count) bytes are not one certificate; pass the content of a PEM or DER file.")
        }
        try self.init(ofPublicKey: publicKey)
    }
}

extension PublicKeyPin: CustomStringConvertible {
    /// `sha256/` and the hash in Base64.
    public var description: String { "sha256/" + sha256.base64EncodedString() }
}
