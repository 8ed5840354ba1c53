import Foundation
import Transport

// Pinned public keys.

extension WLClient {
    /// Accepts only https servers whose chain has the public key of this certificate (DER), instead of earlier ones.
    ///
    /// A renewed certificate with the same key goes on working. The other settings of the client's
    /// `URLSessionTransport` stay, such as its proxy and trusted authorities. Every later call fails with
    /// `configuration`, and nothing is sent unpinned, where the file cannot be read, the platform cannot check keys, or
    /// the client has another transport and no `makePinnedTransport`.
    /// - Parameter certificateFilename: a file of the app's bundle, or a path.
    public func pinTrustedCertificatePublicKey(certificateFilename: String!) {
        pinTrustedCertificatePublicKey(certificateFilenames: [certificateFilename ?? ""])
    }

    /// Accepts only https servers whose chain has the public key of one of these certificates (DER), instead of earlier
    /// ones.
    public func pinTrustedCertificatePublicKey(certificateFilenames: [String]!) {
        state.setPinned(
            Result { () throws(WLError) in
                var publicKeys: Set<Data> = []
                for name in certificateFilenames ?? [] { publicKeys.insert(try Self.publicKey(ofCertificate: name)) }
                guard !publicKeys.isEmpty else {
                    throw WLError(.configuration, "No certificate to pin; pass at least one file.")
                }
                do {
                    return try pinned(publicKeys)
                } catch {
                    throw WLError(
                        .configuration,
                        "Certificates cannot be pinned: \((error as? any PatchbayError)?.message ?? "")",
                        underlying: error)
                }
            })
    }

    /// ``pinTrustedCertificatePublicKey(certificateFilename:)`` as Swift imports the vendor's method.
    public func pinTrustedCertificatePublicKey(fromFile name: String!) {
        pinTrustedCertificatePublicKey(certificateFilename: name)
    }

    /// ``pinTrustedCertificatePublicKey(certificateFilenames:)`` as Swift imports the vendor's method.
    public func pinTrustedCertificatePublicKey(fromFiles names: [String]!) {
        pinTrustedCertificatePublicKey(certificateFilenames: names)
    }

    /// The client's transport with pinned public keys.
    ///
    /// One over the network alone would leave out the app's layers, its trusted authorities and its other options.
    private func pinned(_ publicKeys: Set<Data>) throws -> AnyTransport {
        if let makePinned { return AnyTransport(try makePinned(publicKeys)) }
        guard let network = state.transport.base as? URLSessionTransport else {
            throw TransportError(
                .unsupported, "The client's transport is not a URLSessionTransport alone; pass `makePinnedTransport`.")
        }
        let pins = Set(try publicKeys.map { key in try PublicKeyPin(ofPublicKey: key) })
        return AnyTransport(try network.changed { $0.pinnedPublicKeys = pins })
    }

    private static func publicKey(ofCertificate name: String) throws(WLError) -> Data {
        let file = Bundle.main.url(forResource: name, withExtension: nil) ?? URL(filePath: name)
        let certificate: Data
        do {
            certificate = try Data(contentsOf: file)
        } catch {
            throw WLError(
                .configuration,
                "Pinned certificate \(name) not found; add the file, in DER, to the app's bundle.", underlying: error)
        }
        guard let publicKey = CertificatePublicKey.der(ofCertificate: certificate) else {
            throw WLError(
                .configuration,
                "Pinned certificate \(name) cannot be read; convert it to DER, such as by openssl x509 -outform der.")
        }
        return publicKey
    }
}
