package import Foundation

/// Origin of a URL: scheme, host and port (RFC 6454).
///
/// Derived from the URL's text: a percent-encoded host differs from the same host decoded. This errs on the safe side,
/// since credentials are withheld from a different origin.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    /// The host in lower case; an IPv6 address in brackets.
    package let host: String
    /// The port in decimal without leading zeros; the default port of the scheme if the URL has none.
    package let port: String

    package init(_ url: URL) { self.init(URLReference(url.absoluteString[...])) }

    package init(_ reference: URLReference) {
        scheme = reference.scheme?.lowercased() ?? ""
        let (host, digits) = reference.hostAndPort
        self.host = host.lowercased()
        let port = digits.drop { $0 == "0" }
        self.port = port.isEmpty ? (scheme == "https" ? "443" : "80") : String(port)
    }

    /// `scheme://host:port`, always with the port.
    package var text: String { "\(scheme)://\(host):\(port)" }

    /// True for `https`.
    package var isSecure: Bool { scheme == "https" }

    /// True for this machine: localhost, 127.0.0.1, ::1.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// True for `https`, and for this machine: secrets sent there cannot be read on the way.
    package var protectsSecrets: Bool { isSecure || isLoopback }

    /// `host:port`, for error messages.
    package var address: String { "\(host):\(port)" }
}
