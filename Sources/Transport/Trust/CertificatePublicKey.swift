package import Foundation
import SystemLibraries

/// The public key of an X.509 certificate (RFC 5280, section 4.1).
package enum CertificatePublicKey {
    /// The SubjectPublicKeyInfo of a certificate, both in DER; nil if it is no certificate.
    package static func der(ofCertificate certificate: Data) -> Data? {
        var outer = DERReader(certificate)
        guard var parts = outer.takeContents(.sequence), var fields = parts.takeContents(.sequence) else { return nil }
        // Certificates of version 1 have no version.
        _ = fields.takeElement(.element0)
        guard fields.takeElement(.integer) != nil else { return nil }
        // The signature's algorithm, the issuer, the validity and the subject.
        for _ in 0..<4 {
            guard fields.takeElement(.sequence) != nil else { return nil }
        }
        return fields.takeElement(.sequence)
    }
}
