import Foundation
import HTTPMessages
public import PatchbayErrors

/// Where the server sends the browser at the end of a sign-in. It has to be registered there.
public struct OAuthRedirect: Sendable, RedactedStringConvertible {
    enum Kind: Sendable {
        case loopback(port: UInt16, path: String)
        case uri(String)
    }

    let kind: Kind

    /// A listener at a free port of this machine: `http://127.0.0.1:PORT/callback` (RFC 8252, section 7.3).
    ///
    /// On a machine without IPv4 the host is `[::1]`. For command lines and desktop apps. The server has to accept
    /// every port.
    public static let loopback = loopback(port: 0)

    /// A listener on this machine, as ``loopback``.
    /// - Parameters:
    ///   - port: 0 picks a free one; a fixed one is for servers that compare the redirect URI: it may be in use, and
    ///     its host is 127.0.0.1 on every machine.
    ///   - path: the path of the redirect URI.
    public static func loopback(port: UInt16, path: String = "/callback") -> OAuthRedirect {
        OAuthRedirect(kind: .loopback(port: port, path: path))
    }

    /// A URI that opens the app: of a scheme of its own, such as `com.example.shop:/signed-in` (RFC 8252, section 7.1,
    /// wants a reversed domain name), or an https URL of a domain that is associated with the app (section 7.2).
    ///
    /// A browser that catches the redirect returns it; otherwise the app passes it to ``OAuthLogin/receive(_:)``.
    public static func uri(_ uri: String) -> OAuthRedirect { OAuthRedirect(kind: .uri(uri)) }

    /// - Throws: ``SignInError`` (`invalidConfiguration`, `insecureURL`).
    func validate() throws(SignInError) {
        switch kind {
        case .loopback(_, let path):
            guard path.first == "/", path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 }) else {
                throw SignInError(
                    .invalidConfiguration,
                    "Invalid path of a redirect: \(path.shown); use one like `/callback`, without query.")
            }
        case .uri(let uri):
            let parts = URLReference(uri[...])
            guard URL(string: uri) != nil, let scheme = parts.scheme, !scheme.isEmpty, parts.fragment == nil,
                parts.query == nil
            else {
                throw SignInError(
                    .invalidConfiguration,
                    "Invalid redirect URI: \(uri.shown); use one like `com.example.shop:/signed-in`, without query.")
            }
            guard scheme.lowercased() != "http" else {
                throw SignInError(
                    .insecureURL, "Redirect URI \(uri.shown) is http; use `.loopback`, a scheme of the app, or https.")
            }
        }
    }

    /// The redirect URI, with `PORT` for a port that is picked.
    public var description: String {
        switch kind {
        case .loopback(let port, let path): "http://127.0.0.1:\(port == 0 ? "PORT" : "\(port)")\(path)"
        case .uri(let uri): uri
        }
    }
}
