public import Foundation
public import Transport

extension CurlTransport {
    /// Settings of connections: proxy, HTTP and TLS versions, certificates, address family.
    ///
    /// ```swift
    /// let authority = URL(filePath: "/etc/my-app/ca.pem")
    /// let transport = try CurlTransport(.init(proxy: .none, trustAnchors: .only(.file(authority))))
    /// ```
    public struct NetworkOptions: Hashable, Sendable {
        /// A version of HTTP.
        public enum HTTPVersion: Hashable, Sendable {
            /// HTTP/2 over TLS if the server supports it (ALPN, RFC 9113, section 3.3), else HTTP/1.1.
            case automatic
            /// HTTP/1.1.
            case http1
            /// HTTP/2, without TLS too, for servers that are known to support it (RFC 9113, section 3.3).
            ///
            /// libcurl 7.88 breaks such connections when it uses them again, so there each request without TLS has its
            /// own.
            case http2PriorKnowledge
        }

        /// A version of TLS.
        public enum TLSVersion: Hashable, Sendable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// A family of IP addresses.
        public enum AddressFamily: Hashable, Sendable {
            /// IPv4 and IPv6; the first to connect is used (RFC 8305).
            case any
            /// IPv4.
            case ipv4
            /// IPv6.
            case ipv6
        }

        /// The proxy; default ``CurlTransport/Proxy/environment``.
        public var proxy = Proxy.environment
        /// The version of HTTP; default ``HTTPVersion/automatic``.
        public var httpVersion = HTTPVersion.automatic
        /// The lowest accepted version of TLS; default TLS 1.2.
        public var minimumTLSVersion = TLSVersion.tls12
        /// The authorities of servers and of https proxies; default ``TrustAnchors/system``.
        ///
        /// A file must be in PEM, and is read for each new connection; authorities in memory require libcurl 7.77.
        /// ``TrustAnchors/additional(_:)`` is not supported: libcurl has one list. A certificate without alternative
        /// names is accepted if its common name is the host, as OpenSSL does.
        public var trustAnchors = TrustAnchors.system
        /// Public keys, one of which each https server must have; default empty.
        ///
        /// Pin more than one, because keys are replaced.
        public var pinnedPublicKeys: Set<PublicKeyPin> = []
        /// False to accept any certificate of an https server, expired or of another host; default true.
        ///
        /// An attacker in the network can then read and change everything: for servers in development only.
        /// ``pinnedPublicKeys`` are still required.
        public var verifiesServerCertificates = true
        /// The certificate for servers that request one; default nil.
        ///
        /// Also for servers of other origins, to which a redirect or a page leads: set
        /// `RedirectPolicy.allowsOtherOrigins` to false where those must not see it.
        public var clientCertificate: ClientCertificate?
        /// The family of the addresses to connect to; default ``AddressFamily/any``.
        public var addressFamily = AddressFamily.any

        /// Creates the default options.
        public init() {}

        /// Creates options; each is described with its property.
        public init(
            proxy: Proxy = .environment, httpVersion: HTTPVersion = .automatic, minimumTLSVersion: TLSVersion = .tls12,
            trustAnchors: TrustAnchors = .system, pinnedPublicKeys: Set<PublicKeyPin> = [],
            verifiesServerCertificates: Bool = true, clientCertificate: ClientCertificate? = nil,
            addressFamily: AddressFamily = .any
        ) {
            self.proxy = proxy
            self.httpVersion = httpVersion
            self.minimumTLSVersion = minimumTLSVersion
            self.trustAnchors = trustAnchors
            self.pinnedPublicKeys = pinnedPublicKeys
            self.verifiesServerCertificates = verifiesServerCertificates
            self.clientCertificate = clientCertificate
            self.addressFamily = addressFamily
        }
    }

    /// The certificate chain and private key of a client, in PEM.
    public struct ClientCertificate: Hashable, Sendable {
        enum Source: Hashable, Sendable {
            case files(certificate: URL, key: URL)
            case bytes(certificate: Data, key: Data)
        }

        let source: Source
        let password: String?

        /// A certificate and a key in PEM files, which are read for each new connection.
        /// - Parameter password: decrypts the key; an encrypted key without one is the error `tls`.
        public init(certificateFile: URL, keyFile: URL, password: String? = nil) {
            source = .files(certificate: certificateFile, key: keyFile)
            self.password = password
        }

        /// A certificate and a key in memory, PEM-encoded. Requires libcurl 7.71.
        /// - Parameter password: decrypts the key; an encrypted key without one is the error `tls`.
        public init(certificate: Data, key: Data, password: String? = nil) {
            source = .bytes(certificate: certificate, key: key)
            self.password = password
        }
    }
}

extension CurlTransport.ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The files or the size, without secrets.
    public var description: String {
        switch source {
        case .files(let certificate, _): "client certificate \(certificate.lastPathComponent)"
        case .bytes(let certificate, _): "client certificate (\(certificate.count) bytes)"
        }
    }
    /// The same as `description`, so that dumps contain no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}
