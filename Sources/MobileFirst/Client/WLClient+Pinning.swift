public import Foundation
public import Transport

// Pinned public keys.

extension WLClient {
    /// The network with pinned public keys.
    /// - Parameter publicKeys: each a SubjectPublicKeyInfo in DER.
    /// - Throws: `TransportError` (`unsupported`) on Linux.
    public static func networkPinning(_ publicKeys: Set<Data>) throws -> any Transport {
        var options = URLSessionTransport.NetworkOptions()
        options.pinnedPublicKeys = Set(try publicKeys.map { key in try PublicKeyPin(ofPublicKey: key) })
        return try URLSessionTransport(network: options)
    }

    /// Accepts only https servers whose chain has the public key of this certificate (DER), instead of earlier ones.
    ///
    /// A renewed certificate with the same key goes on working. Where the file cannot be read, or the platform cannot
    /// check keys, every later call fails with `configuration`: nothing is sent unpinned.
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
                    return AnyTransport(try makePinned(publicKeys))
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
