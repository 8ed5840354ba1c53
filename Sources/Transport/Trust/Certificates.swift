public import Foundation

/// X.509 certificates (RFC 5280), in PEM (RFC 7468) or DER.
@nonexhaustive public enum Certificates: Hashable, Sendable {
    /// A file with any number of certificates in PEM, or with one in DER.
    case file(URL)
    /// Certificates in memory, each element as the content of a file.
    case data([Data])

    /// The certificates, each in DER. Only their encoding is read.
    /// - Throws: `TransportError` (`tls`) for a file that cannot be read, and for PEM without a certificate.
    public func der() throws(TransportError) -> [Data] {
        var certificates: [Data] = []
        for content in try contents {
            if let begin = content.range(of: Data("-----BEGIN ".utf8)) {
                certificates += try Self.certificates(
                    ofPEM: String(decoding: content[begin.lowerBound...], as: UTF8.self))
            } else {
                certificates.append(content)
            }
        }
        return certificates
    }

    /// The certificates in PEM, one after the other.
    /// - Throws: as ``der()``.
    public func pem() throws(TransportError) -> Data {
        let texts = try der().map { certificate in
            let lines = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "\(Self.begin)\n\(lines)\n\(Self.end)\n"
        }
        return Data(texts.joined().utf8)
    }

    private var contents: [Data] {
        get throws(TransportError) {
            switch self {
            case .data(let contents): return contents
            case .file(let file):
                do {
                    return [try Data(contentsOf: file)]
                } catch {
                    throw TransportError(
                        .tls,
                        "The file of certificates \(file.lastPathComponent.debugDescription) cannot be read; check its path "
                            + "and its permissions.", underlying: error)
                }
            }
        }
    }

    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    private static func certificates(ofPEM text: String) throws(TransportError) -> [Data] {
        var certificates: [Data] = []
        var rest = text[...]
        while let start = rest.range(of: begin) {
            rest = rest[start.upperBound...]
            guard let stop = rest.range(of: end),
                let der = Data(base64Encoded: String(rest[..<stop.lowerBound].filter { !$0.isWhitespace }))
            else {
                throw TransportError(
                    .tls,
                    "Certificate \(certificates.count + 1) of a PEM text is cut off or not Base64; export it from its "
                        + "source.")
            }
            certificates.append(der)
            rest = rest[stop.upperBound...]
        }
        guard !certificates.isEmpty else {
            throw TransportError(.tls, "A PEM text contains no `CERTIFICATE`; a key or a request is no trust anchor.")
        }
        return certificates
    }
}
