import Foundation
import HTTPMessages

/// A JSON Web Signature with the signer's RSA key in its header (RFC 7515; algorithm RS256, RFC 7518).
struct JSONWebSignature {
    let key: MobileFirstService.PublicKey
    /// The key's name, the client id of a registered client.
    let keyID: String?
    let payload: [String: JSONValue]
    private let message: Data
    private let signature: Data

    /// Parses the three parts; nil if one is malformed, or the header does not have RS256 and a valid RSA key.
    init?(header: String, payload: String, signature: String) {
        guard let head = JSONValue(base64URL: header), head["alg"] == "RS256",
            let jwk = head["jwk"], jwk["kty"] == "RSA",
            let modulus = jwk["n"]?.string.flatMap({ Data(base64URL: $0) }),
            let exponent = jwk["e"]?.string.flatMap({ Data(base64URL: $0) }),
            let key = MobileFirstService.PublicKey(modulus: modulus, exponent: exponent),
            let members = JSONValue(base64URL: payload)?.object,
            let bytes = Data(base64URL: signature)
        else { return nil }
        self.key = key
        keyID = jwk["kid"]?.string
        self.payload = members
        message = Data("\(header).\(payload)".utf8)
        self.signature = bytes
    }

    /// Parses the compact form, three parts separated by dots.
    init?(compact: String) {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return nil }
        self.init(header: parts[0], payload: parts[1], signature: parts[2])
    }

    /// True if the signature is one of the key in the header.
    /// - Throws: a failure with status 500 if the verifier cannot verify.
    func isValid(by verifier: MobileFirstService.SignatureVerifier) throws(MobileFirstService.Failure) -> Bool {
        do {
            return try verifier.isValid(signature, message, key)
        } catch {
            throw MobileFirstService.Failure(
                status: .internalServerError, code: "UNEXPECTED_ERROR", text: "Cannot verify the signature: \(error)")
        }
    }
}

extension JSONValue {
    fileprivate init?(base64URL text: String) {
        guard let data = Data(base64URL: text), let value = try? JSONValue(parsing: data) else { return nil }
        self = value
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 4648, section 5); nil for other characters.
    init?(base64URL text: String) {
        guard !text.utf8.contains(where: { [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains($0) })
        else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }

    /// Base64url without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
