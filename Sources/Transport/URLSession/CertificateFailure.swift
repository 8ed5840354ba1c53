/// The reason why a server's certificate was not accepted, as libcurl and OpenSSL word it.
struct CertificateFailure {
    let kind: TransportError.TLSFailure
    let message: String

    /// Nil when the text is not about a certificate.
    init?(_ text: String, address: String) {
        if let name = text.firstMatch(of: #/certificate subject name ['(](.*?)[')] does not match target host name/#) {
            kind = .hostMismatch
            message = "Certificate is for another host: \(address). It names \(name.1)."
        } else if text.contains("no alternative certificate") || text.contains("does not match target host name") {
            kind = .hostMismatch
            message = "Certificate is for another host: \(address). It does not name this host."
        } else if let reason = Self.reason(text) {
            (kind, message) = Self.meaning(of: reason, address: address)
        } else {
            return nil
        }
    }

    /// The reason that the TLS library gives, or nil when the text is not about the certificate's chain.
    private static func reason(_ text: String) -> Substring? {
        for start in ["certificate problem: ", "certificate verification failed. ", "certificate verify failed"] {
            if let range = text.firstRange(of: start) {
                return range.upperBound == text.endIndex ? text[range] : text[range.upperBound...]
            }
        }
        return nil
    }

    private static func meaning(of reason: Substring, address: String) -> (TransportError.TLSFailure, String) {
        if reason.contains("has expired") { return (.expiredCertificate, "Certificate expired: \(address).") }
        if reason.contains("not yet valid") {
            return (
                .expiredCertificate, "Certificate not yet valid: \(address). The clock of this machine may be slow."
            )
        }
        let problem =
            switch reason {
            case "self-signed certificate", "self signed certificate": "Certificate is self-signed"
            case "certificate revoked": "Certificate revoked"
            default: "Certificate not trusted"
            }
        return (.untrustedCertificate, "\(problem): \(address) (\(reason)). \(trustAdvice)")
    }

    private static let trustAdvice: String = {
        #if canImport(Darwin)
            "To trust a private authority, install its certificate on this device and trust it there."
        #else
            "To trust a private authority, add its certificate to the system's bundle (update-ca-certificates or "
                + "update-ca-trust); URLSession on Linux has no setting for it."
        #endif
    }()
}
