import Foundation
import HTTPMessages

#if canImport(Darwin)
    import Security
#endif

/// The evaluation of a server's certificates with own authorities or pins, or without verification.
struct ServerTrustPolicy: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case accepted
        /// The chain is not trusted; the reason, if known.
        case untrusted(TransportError.TLSFailure?)
        /// The chain is trusted, but contains no pinned certificate or public key.
        case notPinned
    }

    let anchors: TrustAnchors
    /// The authorities, each in DER.
    private let authorities: [Data]
    let pins: Set<Data>
    let publicKeys: Set<PublicKeyPin>
    /// False to accept chains that are not trusted.
    let verifiesChain: Bool

    /// Returns nil when the system's evaluation is enough.
    /// - Throws: `tls` for authorities that cannot be read.
    init?(
        anchors: TrustAnchors, pins: Set<Data>, publicKeys: Set<PublicKeyPin> = [], verifiesChain: Bool = true
    ) throws(TransportError) {
        if anchors == .system, pins.isEmpty, publicKeys.isEmpty, verifiesChain { return nil }
        self.anchors = anchors
        switch anchors {
        case .system: authorities = []
        case .only(let certificates), .additional(let certificates): authorities = try certificates.der()
        }
        self.pins = pins
        self.publicKeys = publicKeys
        self.verifiesChain = verifiesChain
    }

    /// True if each chain is accepted, so that an evaluation would tell nothing.
    var acceptsAll: Bool { !verifiesChain && pins.isEmpty && publicKeys.isEmpty }

    /// The verdict on an evaluated chain.
    /// - Parameters:
    ///   - failure: the code of the evaluation's error; nil for a trusted chain.
    ///   - chain: the DER-encoded certificates.
    func verdict(failure: Int?, chain: [Data]) -> Verdict {
        if let failure, verifiesChain { return .untrusted(Self.reason(failure)) }
        guard !pins.isEmpty || !publicKeys.isEmpty else { return .accepted }
        return chain.contains(where: isPinned) ? .accepted : .notPinned
    }

    private func isPinned(_ certificate: Data) -> Bool {
        if pins.contains(certificate) { return true }
        guard !publicKeys.isEmpty, let pin = try? PublicKeyPin(ofCertificate: certificate) else { return false }
        return publicKeys.contains(pin)
    }

    /// The codes of the Security framework (SecBase.h).
    private static func reason(_ code: Int) -> TransportError.TLSFailure? {
        switch code {
        case -67818, -67819: .expiredCertificate  // errSecCertificateExpired, errSecCertificateNotValidYet
        case -67602: .hostMismatch  // errSecHostNameMismatch
        case -67843: .untrustedCertificate  // errSecNotTrusted
        default: nil
        }
    }
}

extension ServerTrustPolicy.Verdict {
    /// The message for an origin that is refused.
    func message(for origin: Origin) -> String {
        switch self {
        case .accepted: "Certificate accepted: \(origin.address)."
        case .untrusted: "Certificate not trusted by the transport's trust anchors: \(origin.address)."
        case .notPinned:
            "Certificate chain contains none of the pinned certificates and public keys: \(origin.address). Check for a "
                + "proxy that intercepts TLS, or update `pinnedCertificates` and `pinnedPublicKeys`."
        }
    }

    var tlsFailure: TransportError.TLSFailure? {
        switch self {
        case .accepted: nil
        case .untrusted(let reason): reason
        case .notPinned: .untrustedCertificate
        }
    }
}

#if canImport(Darwin)
    extension ServerTrustPolicy {
        private static func certificate(_ data: Data) -> SecCertificate? {
            SecCertificateCreateWithData(nil, NSData(data: data) as CFData)
        }

        /// Checks that the certificates can be read.
        /// - Throws: `tls`.
        func validate() throws(TransportError) {
            for data in authorities + pins where Self.certificate(data) == nil {
                throw TransportError(
                    .tls,
                    "Trust anchor or pinned certificate (\(data.count) bytes) cannot be read; check that it is an X.509 certificate, a pinned one in DER."
                )
            }
        }

        /// Evaluates the certificates of a server on another thread.
        ///
        /// That may wait for the network, and the queue of a session serves all of its requests.
        /// - Parameter body: called on that thread.
        func evaluate(_ trust: SecTrust, _ body: @escaping @Sendable (SecTrust, Verdict) -> Void) {
            let trust = UncheckedTrust(value: trust)
            DispatchQueue.global().async { body(trust.value, verdict(on: trust.value)) }
        }

        // The caller no longer uses it. Some versions of the SDK declare the type as Sendable.
        private struct UncheckedTrust: @unchecked Sendable {
            let value: SecTrust
        }

        // https://developer.apple.com/documentation/foundation/performing-manual-server-trust-authentication
        private func verdict(on trust: SecTrust) -> Verdict {
            if anchors != .system {
                let certificates = NSArray(array: authorities.compactMap(Self.certificate))
                SecTrustSetAnchorCertificates(trust, certificates as CFArray)
                if case .additional = anchors { SecTrustSetAnchorCertificatesOnly(trust, false) }
            }
            var error: CFError?
            let isTrusted = SecTrustEvaluateWithError(trust, &error)
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            return verdict(
                failure: isTrusted ? nil : error.map(CFErrorGetCode) ?? 0,
                chain: chain.map { Data(referencing: SecCertificateCopyData($0) as NSData) })
        }
    }
#endif
