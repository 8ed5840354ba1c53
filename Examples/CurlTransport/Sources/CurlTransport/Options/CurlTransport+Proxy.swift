import Glibc

extension CurlTransport {
    /// The proxy of all requests.
    public enum Proxy: Hashable, Sendable {
        /// The proxy that the environment sets for the scheme: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
        ///
        /// libcurl also reads the names in upper case, except `HTTP_PROXY`.
        case environment
        /// Direct connections, regardless of the environment.
        case none
        /// One proxy, regardless of the environment.
        case server(ProxyServer)
    }

    /// The address and the credentials of a proxy.
    public struct ProxyServer: Hashable, Sendable {
        /// A kind of proxy.
        public enum Kind: Hashable, Sendable {
            /// HTTP; https requests go through a tunnel (`CONNECT`, RFC 9110, section 9.3.6).
            case http
            /// HTTP over TLS to the proxy.
            case https
            /// SOCKS 5; the client resolves host names.
            case socks5
            /// SOCKS 5; the proxy resolves host names.
            case socks5h
        }

        /// The kind.
        public let kind: Kind
        /// The host name or address.
        public let host: String
        /// The port.
        public let port: UInt16
        /// The user name for Basic or SOCKS authentication.
        public let user: String?
        let password: String?
        /// Hosts with direct connections: names, domains with their subdomains, addresses. `*` is every host.
        public let exceptions: [String]

        /// Creates the address of a proxy.
        public init(
            _ kind: Kind = .http, host: String, port: UInt16, user: String? = nil, password: String? = nil,
            exceptions: [String] = []
        ) {
            self.kind = kind
            self.host = host
            self.port = port
            self.user = user
            self.password = password
            self.exceptions = exceptions
        }

        /// The URL without credentials.
        var url: String {
            let scheme =
                switch kind {
                case .http: "http"
                case .https: "https"
                case .socks5: "socks5"
                case .socks5h: "socks5h"
                }
            return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }

        /// True unless the address is empty or contains a scheme, a user, a path or whitespace.
        var isValid: Bool {
            let isAddress = host.contains(":") && host.utf8.allSatisfy { $0 == 0x3A || $0 == 0x2E || $0.isHexDigit }
            return !host.isEmpty && port > 0
                && (isAddress || host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !":/@?#[]\\\"".utf8.contains($0) })
                && exceptions.allSatisfy { $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
        }

        /// True if libcurl, which ends a text at NUL, gets the whole credentials.
        var hasWholeCredentials: Bool { [user, password].allSatisfy { $0?.utf8.contains(0) != true } }
    }
}

extension CurlTransport.Proxy {
    /// True if requests without TLS may go to an HTTP proxy now. libcurl reads the environment for each of them.
    var isPossible: Bool {
        switch self {
        case .environment:
            ["http_proxy", "all_proxy", "ALL_PROXY"].contains { (name: String) in
                getenv(name).map { $0.pointee != 0 } ?? false
            }
        case .none: false
        case .server(let server): server.kind == .http || server.kind == .https
        }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}

extension CurlTransport.ProxyServer: CustomStringConvertible, CustomReflectable {
    /// The URL without credentials.
    public var description: String { url }
    /// The same as `description`, so that dumps contain no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
