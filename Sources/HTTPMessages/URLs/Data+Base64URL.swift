package import Foundation

extension Data {
    /// The data in base64url without padding (RFC 4648, section 5).
    package func base64URLEncodedString() -> String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url, with or without padding; nil if it is malformed.
    package init?(base64URLEncoded text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
