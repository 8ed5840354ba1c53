/// Classifies the certificate errors of libcurl and OpenSSL by their text.
struct CertificateFailure {
    let meaning: EngineFailure.Meaning

    /// Returns nil when the text is not about a certificate.
    init?(_ text: String) {
        if let name = text.firstMatch(of: #/certificate subject name ['(](.*?)[')] does not match target host name/#) {
            meaning = Self.hostMismatch("It names \(name.1).")
        } else if text.contains("no alternative certificate") || text.contains("does not match target host name") {
            meaning = Self.hostMismatch("It does not name this host.")
        } else if let reason = Self.reason(text) {
            meaning = Self.meaning(of: reason)
        } else {
            return nil
        }
    }

    private static func hostMismatch(_ advice: String) -> EngineFailure.Meaning {
        EngineFailure.Meaning(.tls, "Certificate is for another host", .hostMismatch, advice: advice)
    }

    /// The TLS library's reason, or nil when the text is not about the certificate chain.
    private static func reason(_ text: String) -> Substring? {
        for start in ["certificate problem: ", "certificate verification failed. ", "certificate verify failed"] {
            if let range = text.firstRange(of: start) {
                return range.upperBound == text.endIndex ? text[range] : text[range.upperBound...]
            }
        }
        return nil
    }

    private static func meaning(of reason: Substring) -> EngineFailure.Meaning {
        if reason.contains("has expired") {
            return EngineFailure.Meaning(.tls, "Certificate expired", .expiredCertificate)
        }
        if reason.contains("not yet valid") {
            return EngineFailure.Meaning(
                .tls, "Certificate not yet valid", .expiredCertificate, advice: "The clock of this machine may be slow."
            )
        }
        let problem =
            switch reason {
            case "self-signed certificate", "self signed certificate": "Certificate is self-signed"
            case "certificate revoked": "Certificate revoked"
            default: "Certificate not trusted"
            }
        return EngineFailure.Meaning(
            .tls, problem, .untrustedCertificate, advice: trustAdvice, detail: String(reason))
    }

    private static let trustAdvice =
        "To trust a private authority, add its certificate to the system's bundle (update-ca-certificates or "
        + "update-ca-trust); URLSession on Linux has no setting for it."
}
