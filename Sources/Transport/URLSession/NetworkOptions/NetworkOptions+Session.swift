import Foundation

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

    /// Sets the options of a request.
    func apply(to request: inout URLRequest) {
        #if canImport(Darwin)
            if prefersHTTP3 { request.assumesHTTP3Capable = true }
        #endif
    }
}

extension URLSessionTransport.NetworkOptions.Proxy {
    /// The value of `connectionProxyDictionary`; nil leaves the system's settings.
    ///
    /// The keys are the values of `kCFNetworkProxiesHTTPEnable` and others, of which iOS lacks those for https
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
        }
    }
}
