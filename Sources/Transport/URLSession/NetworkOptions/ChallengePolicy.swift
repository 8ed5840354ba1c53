import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Security
#endif

/// How sessions on Apple's platforms answer challenges, so that they use no credentials but those of the options.
///
/// Server trust and proxy challenges get the system's default handling, unless the options have certificates for them.
/// All others are rejected, so the 401 response arrives: default handling may use the system's tickets and passwords
/// (Negotiate, NTLM) and, on macOS, keychain certificates.
/// (https://developer.apple.com/documentation/foundation/handling-an-authentication-challenge)
struct ChallengePolicy: Sendable {
    enum Action: Hashable, Sendable {
        case performDefaultHandling
        case rejectProtectionSpace
        /// Evaluate the server's certificates with this policy.
        case evaluateTrust(ServerTrustPolicy)
        /// Accept the server's certificates without an evaluation.
        case acceptTrust
        /// Use ``clientCredential``.
        case sendCertificate
    }

    /// Nil for the system's evaluation.
    let trust: ServerTrustPolicy?
    /// The client certificate, if there is one.
    let clientCredential: URLCredential?

    init(trust: ServerTrustPolicy? = nil, clientCredential: URLCredential? = nil) {
        self.trust = trust
        self.clientCredential = clientCredential
    }

    /// The action for a challenge.
    /// - Parameter method: the protection space's `authenticationMethod`.
    func action(forMethod method: String, isProxy: Bool) -> Action {
        if isProxy { return .performDefaultHandling }
        // The values of NSURLAuthenticationMethodServerTrust and ...ClientCertificate, which Linux lacks.
        return switch method {
        case "NSURLAuthenticationMethodServerTrust":
            trust.map { $0.acceptsAll ? .acceptTrust : .evaluateTrust($0) } ?? .performDefaultHandling
        case "NSURLAuthenticationMethodClientCertificate":
            clientCredential == nil ? .rejectProtectionSpace : .sendCertificate
        default: .rejectProtectionSpace
        }
    }
}

extension ChallengePolicy {
    /// Reads the certificates of the options, which Linux does not support.
    /// - Throws: `tls` for a certificate that cannot be read.
    init(_ options: URLSessionTransport.NetworkOptions) throws(TransportError) {
        trust = try ServerTrustPolicy(
            anchors: options.trustAnchors, pins: options.pinnedCertificates, publicKeys: options.pinnedPublicKeys,
            verifiesChain: options.verifiesServerCertificates)
        #if canImport(Darwin)
            try trust?.validate()
            clientCredential = try options.clientCertificate?.credential()
        #else
            clientCredential = nil
        #endif
    }
}

#if canImport(Darwin)
    extension URLSessionTransport.ClientCertificate {
        fileprivate func credential() throws(TransportError) -> URLCredential {
            // By default, macOS imports into the user's keychain.
            let options: [String: Any] = [
                kSecImportExportPassphrase as String: password, kSecImportToMemoryOnly as String: true,
            ]
            var items: CFArray?
            let status = SecPKCS12Import(
                NSData(data: pkcs12) as CFData, NSDictionary(dictionary: options) as CFDictionary, &items)
            guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
                let identity = item[kSecImportItemIdentity as String]
            else {
                throw TransportError(
                    .tls,
                    "Client certificate cannot be read (SecPKCS12Import: \(status)); check its password and that "
                        + "it is a PKCS #12 file with a private key.")
            }
            // A Core Foundation type, for which a conditional cast is an error.
            return URLCredential(identity: identity as! SecIdentity, certificates: nil, persistence: .forSession)
        }
    }
#endif
