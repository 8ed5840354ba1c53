package import Foundation
import HTTPMessages

extension URL {
    /// The text without the fragment: the key of a request's URL, which is normalized.
    package var cacheKey: String {
        let text = absoluteString
        guard text.hasByte(of: "#"), let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<hash])
    }

    /// The key of a URL in any spelling of scheme, host and port; nil for one that no request can have.
    package var normalizedCacheKey: String? { (try? HTTPRequest(.get, self))?.url.cacheKey }

    /// True for a URL with a secret, in its query or in a parameter of its path: it is not stored as it is.
    var hasSecret: Bool { Redaction.standard.redactedByNames(self) != absoluteString }
}
