package import Foundation

/// Scheme, host and port of a URL (RFC 6454): credentials and cookies stay within one, and connections are counted
/// for each.
///
/// Taken from the URL's text. Two spellings of one host, such as a percent-encoded one, are two origins: then less is
/// sent, never more.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    /// In lower case; an IPv6 address has its brackets.
    package let host: String
    /// The number's digits, without zeros in front.
    package let port: String

    package init(_ url: URL) { self.init(URLReference(url.absoluteString[...])) }

    package init(_ reference: URLReference) {
        scheme = reference.scheme?.lowercased() ?? ""
        let (host, digits) = reference.hostAndPort
        self.host = host.lowercased()
        let port = digits.drop { $0 == "0" }
        self.port = port.isEmpty ? (scheme == "https" ? "443" : "80") : String(port)
    }

    /// The origin as text, with its port.
    package var text: String { "\(scheme)://\(host):\(port)" }

    /// True when the connection is encrypted.
    package var isSecure: Bool { scheme == "https" }

    /// Host and port, as error messages name them.
    package var address: String { "\(host):\(port)" }
}
