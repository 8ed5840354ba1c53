public import Foundation
public import Transport

// Pinned certificates.

extension WLClient {
    /// The network with pinned certificates.
    /// - Throws: `TransportError` (`unsupported`) on Linux.
    public static func networkPinning(_ certificates: Set<Data>) throws -> any Transport {
        var options = URLSessionTransport.NetworkOptions()
        options.pinnedCertificates = certificates
        return try URLSessionTransport(network: options)
    }

    /// Accepts only https servers whose chain has this certificate (DER), instead of earlier ones.
    ///
    /// The certificate itself is pinned, not only its public key. Where it cannot be read, or the platform cannot check
    /// it, every later call fails with `configuration`: nothing is sent unpinned.
    /// - Parameter certificateFilename: a file of the app's bundle, or a path.
    public func pinTrustedCertificatePublicKey(certificateFilename: String!) {
        pinTrustedCertificatePublicKey(certificateFilenames: [certificateFilename ?? ""])
    }

    /// Accepts only https servers whose chain has one of these certificates (DER), instead of earlier ones.
    public func pinTrustedCertificatePublicKey(certificateFilenames: [String]!) {
        state.setPinned(
            Result { () throws(WLError) in
                var certificates: Set<Data> = []
                for name in certificateFilenames ?? [] { certificates.insert(try Self.certificate(name)) }
                guard !certificates.isEmpty else {
                    throw WLError(.configuration, "No certificate to pin; pass at least one file.")
                }
                do {
                    return AnyTransport(try makePinned(certificates))
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

    private static func certificate(_ name: String) throws(WLError) -> Data {
        let file = Bundle.main.url(forResource: name, withExtension: nil) ?? URL(filePath: name)
        do {
            return try Data(contentsOf: file)
        } catch {
            throw WLError(
                .configuration,
                "Pinned certificate \(name) not found; add the file, in DER, to the app's bundle.", underlying: error)
        }
    }
}
