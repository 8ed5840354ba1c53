import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Security
#endif

extension URLSessionTransport.NetworkOptions {
    /// Sets the options that differ from their defaults; call ``validate(for:)`` first.
    ///
    /// Sources: https://developer.apple.com/documentation/foundation/urlsessionconfiguration
    func apply(to configuration: URLSessionConfiguration) {
        if let dictionary = proxy.dictionary { configuration.connectionProxyDictionary = dictionary }
        #if canImport(Darwin)
            if !allowsCellularAccess { configuration.allowsCellularAccess = false }
            if !allowsExpensiveAccess { configuration.allowsExpensiveNetworkAccess = false }
            if !allowsConstrainedAccess { configuration.allowsConstrainedNetworkAccess = false }
            switch minimumTLSVersion {
            case .tls12: configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            case .tls13: configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
            case nil: break
            }
        #endif
    }

    /// Sets the options of a request, and removes a proxy's credentials if it goes to a server.
    ///
    /// RFC 9110, section 11.7.2.
    func apply(to request: inout URLRequest, of original: HTTPRequest) {
        if original.fields.contains(.proxyAuthorization), !sendsToProxy(original.origin) {
            request.setValue(nil, forHTTPHeaderField: HTTPFieldName.proxyAuthorization.rawName)
        }
        #if canImport(Darwin)
            if prefersHTTP3 { request.assumesHTTP3Capable = true }
            if !sniffsMediaTypes { request.turnOffSniffing() }
        #endif
    }

    /// True if requests to an origin go to an HTTP proxy, which reads their fields; false if that is not known.
    func sendsToProxy(_ origin: Origin) -> Bool {
        // An engine decodes such a host before it looks for it among those without a proxy.
        guard !origin.host.utf8.contains(UInt8(ascii: "%")) else { return false }
        switch proxy {
        // A script may choose a proxy, but does not tell.
        case .none, .automatic: return false
        case .http: return !origin.isSecure && !origin.isLoopback
        case .system:
            #if canImport(Darwin)
                // The system has the credentials of its proxies, and may choose the proxy by a script.
                return false
            #else
                return ProxyEnvironment(ProcessInfo.processInfo.environment).sendsToProxy(origin)
            #endif
        }
    }
}

extension URLRequest {
    /// Lets CFNetwork report the head of the response without waiting for 512 bytes of its body.
    ///
    /// Source: `URLSessionHTTPClient` of https://github.com/apple/swift-http-api-proposal.
    mutating func turnOffSniffing() {
        guard let request = (self as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return }
        URLProtocol.setProperty(false, forKey: Self.sniffingKey, in: request)
        self = request as URLRequest
    }

    static let sniffingKey = "_kCFURLConnectionPropertyShouldSniff"
}

extension URLSessionTransport.NetworkOptions.Proxy {
    /// The value of `connectionProxyDictionary`; nil leaves the system's settings.
    ///
    /// The keys are the values of `kCFNetworkProxiesHTTPEnable`, `kCFNetworkProxiesProxyAutoConfigEnable` and others,
    /// of which iOS lacks those for https
    /// (https://developer.apple.com/documentation/cfnetwork/global-proxy-settings-constants).
    var dictionary: [AnyHashable: Any]? {
        switch self {
        case .system: nil
        case .none: [:]
        case .http(let host, let port):
            [
                "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": Int(port), "HTTPSEnable": 1, "HTTPSProxy": host,
                "HTTPSPort": Int(port),
            ]
        case .automatic(let script):
            ["ProxyAutoConfigEnable": 1, "ProxyAutoConfigURLString": script.absoluteString]
        }
    }
}
