public import Foundation
import HTTPMessages
public import PatchbayErrors

/// What the user does on another device: open a page, and enter a code (RFC 8628, section 3.3).
public struct DevicePrompt: Sendable {
    /// The page.
    public let verificationURL: URL
    /// The code, for the user only.
    public let userCode: String
    /// The page with the code in it, such as for a QR code; nil if the server has none.
    public let completeURL: URL?
    /// How long the code is valid.
    public let lifetime: Duration
}

extension DevicePrompt: RedactedStringConvertible {
    /// The page and the lifetime.
    public var description: String {
        "enter a code at \(Redaction.standard.redacted(verificationURL)) within \(lifetime.secondsText)"
    }
}
