public import Foundation
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

extension Data {
    /// The data in base64url without padding (RFC 4648, section 5).
    public func base64URLEncodedString() -> String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url, with or without padding; nil if it is malformed.
    public init?(base64URLEncoded text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
