import Coordination
public import Delegation
public import Foundation
import SystemLibraries
public import Transport

extension SDMSession {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// Where delegates are called; default the main queue.
        public var delivery: Delivery
        /// The timeout of new requests in seconds; default 10.
        public var timeOutSeconds: Double
        /// The `User-Agent` of requests without one; default nil, the engine's.
        public var userAgent: String?
        /// Maximum size of a response body in memory; default 64 MiB. A larger one fails the request.
        public var maximumResponseBytes: Int
        /// True to follow redirects from https to http; default false. The vendor's library followed them.
        public var allowsRedirectsToHTTP: Bool
        /// The languages of `Accept-Language`, the preferred one first; default the system's.
        public var preferredLanguages: @Sendable () -> [String]
        /// Makes a transport for the requests with options of their own: a client's certificate, or no check of the
        /// server's.
        ///
        /// Default nil: with these options, and otherwise the settings of the session's `URLSessionTransport`, such as
        /// its pinned keys and proxy. Over another transport, or with layers in it, such a request fails.
        public var makeTransport: (@Sendable (ConnectionOptions) throws -> AnyTransport)?
        /// Keeps the credentials of requests with `useKeychainPersistence`; default nil: such a request fails.
        public var savedCredentials: (any SDMCredentialStorage)?

        /// The system's background tasks; nil without an application.
        var backgroundTasks: @Sendable () -> BackgroundTasks? = { .sharedApplication(in: .process) }

        /// Receives warnings for developers, without secrets; default standard error.
        public var warn: @Sendable (String) -> Void = {
            FileHandle.standardError.write(Data("SDMConnectivity: \($0)\n".utf8))
        }

        /// Creates settings.
        public init(
            delivery: Delivery = .main, timeOutSeconds: Double = DEFAULT_CONNECTION_TIMEOUT_SECONDS,
            userAgent: String? = nil,
            maximumResponseBytes: Int = 64 << 20, allowsRedirectsToHTTP: Bool = false,
            preferredLanguages: @escaping @Sendable () -> [String] = { Locale.preferredLanguages },
            makeTransport: (@Sendable (ConnectionOptions) throws -> AnyTransport)? = nil,
            savedCredentials: (any SDMCredentialStorage)? = nil
        ) {
            self.delivery = delivery
            self.timeOutSeconds = timeOutSeconds
            self.userAgent = userAgent
            self.maximumResponseBytes = maximumResponseBytes
            self.allowsRedirectsToHTTP = allowsRedirectsToHTTP
            self.preferredLanguages = preferredLanguages
            self.makeTransport = makeTransport
            self.savedCredentials = savedCredentials
        }

        /// Makes a transport over the network with a client's certificate, or without the check of the server's.
        ///
        /// It has no other settings: neither pinned keys nor authorities of the app.
        /// - Throws: `TransportError`: `unsupported` on Linux; `tls` for a certificate that cannot be read.
        public static let networkTransport: @Sendable (ConnectionOptions) throws -> AnyTransport = { options in
            var network = URLSessionTransport.NetworkOptions()
            network.clientCertificate = options.clientCertificate
            network.verifiesServerCertificates = options.validatesSecureCertificate
            return AnyTransport(try URLSessionTransport(network: network))
        }
    }

    /// The settings of a connection that one request has for itself.
    public struct ConnectionOptions: Hashable, Sendable {
        /// False to accept any certificate of the server.
        public var validatesSecureCertificate = true
        /// The certificate of the client.
        public var clientCertificate: URLSessionTransport.ClientCertificate?
    }
}
