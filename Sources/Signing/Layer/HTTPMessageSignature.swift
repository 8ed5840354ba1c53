public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Signs requests as RFC 9421 says.
///
/// ```swift
/// var signature = HTTPMessageSignature(key, components: [.method, .targetURI, .contentDigest])
/// signature.lifetime = .seconds(60)
/// let transport = URLSessionTransport.shared.signing(signature)
/// ```
public struct HTTPMessageSignature: RequestSigner {
    /// The key.
    public let key: SigningKey
    /// The components that each signature covers.
    public let components: [SignatureComponent]
    /// The name of the signature in the message; default `sig1`.
    public var label = "sig1"
    /// The time from `created` to `expires`; nil omits `expires`.
    public var lifetime: Duration?
    /// Makes the nonce of each signature; nil omits it.
    public var makeNonce: (@Sendable () -> String)?
    /// The application that the signature is for; nil omits it.
    public var tag: String?
    /// Whether the signature names its algorithm; default false, as the key determines it.
    public var includesAlgorithm = false
    /// The algorithms of the `Content-Digest` that is added where it is signed and the request does not have it.
    public var digests: [ContentDigestAlgorithm] = [.sha256]

    /// Creates a signer.
    public init(_ key: SigningKey, components: [SignatureComponent]) {
        self.key = key
        self.components = components
    }

    /// Adds `Content-Digest` if it is signed and missing, `Signature-Input` and `Signature`; several fields of one name
    /// become one, as engines send them.
    /// - Throws: ``SigningError`` (`bodyNotReplayable`, `invalidComponent`, `invalidParameter`, `signing`); errors of
    ///   reading the body.
    public func sign(_ request: inout HTTPRequest, at date: Date) async throws {
        request.fields.combineLines()
        if !request.fields.contains(.contentDigest),
            components.contains(where: { $0.name == HTTPFieldName.contentDigest.canonicalName })
        {
            try request.fields.set(.contentDigest, to: await ContentDigest.value(of: request.body, digests))
        }
        let parameters = SignatureParameters(
            created: date, expires: lifetime.map { date + $0 / .seconds(1) }, nonce: makeNonce?(),
            algorithm: includesAlgorithm ? key.algorithm.rawValue : nil, keyID: key.id, tag: tag)
        try MessageSignature.sign(&request, with: key, components: components, parameters, label: label)
    }
}

extension HTTPMessageSignature: RedactedStringConvertible {
    /// The key's name and the components.
    public var description: String { "\(key), \(components.map(\.description).joined(separator: " "))" }
}

extension RequestSigner where Self == HTTPMessageSignature {
    /// Signs requests as RFC 9421 says.
    public static func httpMessageSignature(
        _ key: SigningKey, components: [SignatureComponent]
    ) -> HTTPMessageSignature {
        HTTPMessageSignature(key, components: components)
    }
}
