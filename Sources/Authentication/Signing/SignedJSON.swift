import Foundation
public import HTTPMessages
public import PatchbayErrors

/// A JSON Web Signature (RFC 7515): header, payload and signature in base64url.
public struct SignedJSON: Hashable, Sendable {
    /// The header in base64url.
    public let header: String
    /// The payload in base64url.
    public let payload: String
    /// The signature in base64url.
    public let signature: String

    /// Signs a payload with RS256.
    /// - Parameter header: the header, with `alg` of `RS256`.
    /// - Throws: the signer's error; `HTTPMessageError` (`invalidJSON`).
    public init(header: JSONValue, payload: JSONValue, signer: some RS256Signer) async throws {
        self.header = try header.data().base64URLEncodedString()
        self.payload = try payload.data().base64URLEncodedString()
        signature = try await signer.signature(of: Data("\(self.header).\(self.payload)".utf8)).base64URLEncodedString()
    }

    /// The compact serialization: the three parts, separated by dots.
    public var compact: String { "\(header).\(payload).\(signature)" }
}

extension SignedJSON: RedactedStringConvertible {
    /// The number of characters; a signed token is a credential.
    public var description: String { "signed JSON, \(compact.utf8.count) bytes" }
}
