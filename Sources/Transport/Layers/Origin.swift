package import Foundation
import HTTPMessages

/// Scheme, host and port of a URL (RFC 6454): credentials and cookies stay within one.
///
/// Taken from the URL's text. Two spellings of one host, such as a percent-encoded one, are two origins: then less is
/// sent, never more.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    /// In lower case; an IPv6 address has its brackets.
    package let host: String
    package let port: Substring

    package init(_ url: URL) {
        let reference = URLReference(url.absoluteString[...])
        scheme = reference.scheme?.lowercased() ?? ""
        let authority = reference.authority ?? ""
        let hostAndPort =
            authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        let colon = hostAndPort.utf8.lastIndex(of: UInt8(ascii: ":"))
        if let colon, !hostAndPort[colon...].contains("]") {
            host = hostAndPort[..<colon].lowercased()
            let digits = hostAndPort[colon...].dropFirst().drop { $0 == "0" }
            port = digits.isEmpty ? Self.defaultPort(of: scheme) : digits
        } else {
            host = hostAndPort.lowercased()
            port = Self.defaultPort(of: scheme)
        }
    }

    /// True when nobody between here and there can read along.
    var isSecure: Bool { scheme == "https" }

    private static func defaultPort(of scheme: String) -> Substring { scheme == "https" ? "443" : "80" }
}
