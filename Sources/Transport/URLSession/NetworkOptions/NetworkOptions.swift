public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLSessionTransport {
    /// Settings of connections: proxy, HTTP and TLS versions, kinds of networks, certificates.
    ///
    /// URLSession on Linux supports only ``configureSession``. A transport cannot be created with options that its
    /// platform does not support.
    ///
    /// ```swift
    /// var options = URLSessionTransport.NetworkOptions()
    /// options.proxy = .http(host: "proxy.example.com", port: 3128)
    /// let transport = try URLSessionTransport(network: options)
    /// ```
    public struct NetworkOptions: Sendable {
        /// The proxy of all requests.
        @nonexhaustive public enum Proxy: Hashable, Sendable {
            /// The system's settings; on Linux the environment's.
            case system
            /// Direct connections, regardless of the system's settings.
            case none
            /// An HTTP proxy, for http and https. The system supplies its credentials.
            case http(host: String, port: UInt16)
            /// The proxies that a script at an http or https URL chooses for each request (proxy auto-config, PAC).
            ///
            /// The system loads and runs the script. On Apple's platforms only.
            case automatic(URL)
        }

        /// A version of TLS.
        @nonexhaustive public enum TLSVersion: Hashable, Sendable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// The proxy; default ``Proxy/system``.
        public var proxy = Proxy.system
        /// True to try HTTP/3 first, for servers that are known to support it; default false.
        ///
        /// Otherwise the server's `Alt-Svc` decides, where the platform has HTTP/3.
        public var prefersHTTP3 = false
        /// True to let the system guess the media type of a response from its first 512 bytes; default false.
        ///
        /// The head of such a response arrives after these bytes, and its idle timeout starts there. Apple's platforms
        /// have no public name for the switch, but a key of `URLProtocol.setProperty`, which Apple's own HTTP package
        /// uses too. Set it to true for an app that must not use that key.
        public var sniffsMediaTypes = false
        /// False to send nothing over cellular networks; default true.
        public var allowsCellularAccess = true
        /// False to send nothing over networks that the system regards as expensive; default true.
        public var allowsExpensiveAccess = true
        /// False to send nothing in Low Data Mode; default true.
        public var allowsConstrainedAccess = true
        /// The lowest accepted version of TLS; default nil, the platform's.
        public var minimumTLSVersion: TLSVersion?
        /// The trusted authorities; default ``TrustAnchors/system``. A file is read when the transport is created.
        public var trustAnchors = TrustAnchors.system
        /// DER-encoded certificates, one of which must be in the trusted chain of each https server; default empty.
        ///
        /// Pin an authority rather than a server's certificate, and more than one: renewed certificates differ.
        public var pinnedCertificates: Set<Data> = []
        /// Public keys, one of which each https server must have in its trusted chain; default empty.
        ///
        /// Pin more than one, because keys are replaced. With ``pinnedCertificates`` too, one of both is enough.
        public var pinnedPublicKeys: Set<PublicKeyPin> = []
        /// False to accept any certificate of an https server, expired or of another host; default true.
        ///
        /// An attacker in the network can then read and change everything: for servers in development only.
        /// ``pinnedCertificates`` and ``pinnedPublicKeys`` are still required. In an app, App Transport Security may
        /// refuse the connection.
        public var verifiesServerCertificates = true
        /// The certificate for servers that request one; default nil.
        ///
        /// Also for servers of other origins, to which a redirect or a page leads: set
        /// `RedirectPolicy.allowsOtherOrigins` to false where those must not see it.
        public var clientCertificate: ClientCertificate?
        /// Changes the configuration of each session, for settings without an option here; default nil.
        ///
        /// Called when the transport is created. Afterwards the transport sets this value's other options, and what it
        /// depends on: no cache, cookies and credentials, its own timeouts and number of connections.
        public var configureSession: (@Sendable (URLSessionConfiguration) -> Void)?

        /// Creates the default options.
        public init() {}
    }

    /// The certificate and private key of a client, for TLS.
    public struct ClientCertificate: Hashable, Sendable {
        package let pkcs12: Data
        let password: String

        /// Stores the content of a PKCS #12 file (`.p12`, RFC 7292).
        public init(pkcs12: Data, password: String) {
            self.pkcs12 = pkcs12
            self.password = password
        }
    }
}

extension URLSessionTransport.ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The size, without secrets.
    public var description: String { "client certificate (\(pkcs12.count) bytes)" }
    /// The same as `description`, so that dumps contain no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["size": pkcs12.count]) }
}
