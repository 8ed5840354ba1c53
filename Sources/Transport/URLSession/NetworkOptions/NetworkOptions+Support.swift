import Foundation

extension URLSessionTransport.NetworkOptions {
    /// Validates the options for a networking library.
    /// - Throws: `unsupported` for the first option that it cannot honor; `proxy` for an invalid host.
    func validate(for engine: EngineKind) throws(TransportError) {
        if let (name, advice) = unsupported(on: engine).first {
            throw TransportError(.unsupported, "URLSession on Linux does not support the option `\(name)`; \(advice).")
        }
        if case .http(let host, let port) = proxy, !Self.isHost(host) || port == 0 {
            throw TransportError(
                .proxy,
                "Proxy address is invalid: \(host.debugDescription), port \(port); use a host name or an "
                    + "address without a scheme, and a port from 1 to 65535.")
        }
        if case .automatic(let script) = proxy, !Self.isScript(script) {
            throw TransportError(
                .proxy,
                "URL of the proxy script is invalid: its scheme is \(script.scheme ?? "missing"); use an http or https "
                    + "URL with a host.")
        }
    }

    /// The options that a networking library cannot honor, by name, each with its remedy.
    func unsupported(on engine: EngineKind) -> [(name: String, advice: String)] {
        switch engine {
        case .cfNetwork: []
        // Foundation on Linux has no such properties, or reads them nowhere: connectionProxyDictionary is ignored, a
        // challenge for server trust never comes, and there is no SecIdentity.
        case .libcurl:
            [
                (
                    proxy != .system, "proxy",
                    "set `http_proxy`, `https_proxy` and `no_proxy` in the environment of the process"
                ),
                (prefersHTTP3, "prefersHTTP3", "leave it false"),
                (sniffsMediaTypes, "sniffsMediaTypes", "leave it false"),
                (!allowsCellularAccess, "allowsCellularAccess", "leave it true"),
                (!allowsExpensiveAccess, "allowsExpensiveAccess", "leave it true"),
                (!allowsConstrainedAccess, "allowsConstrainedAccess", "leave it true"),
                (
                    minimumTLSVersion != nil, "minimumTLSVersion",
                    "set `MinProtocol` in the OpenSSL configuration of the machine"
                ),
                (
                    trustAnchors != .system, "trustAnchors",
                    "add the certificates to the system's bundle (update-ca-certificates or update-ca-trust)"
                ),
                (
                    !verifiesServerCertificates, "verifiesServerCertificates",
                    "add the server's certificate to the system's bundle (update-ca-certificates or update-ca-trust)"
                ),
                (!pinnedCertificates.isEmpty, "pinnedCertificates", "leave it empty"),
                (!pinnedPublicKeys.isEmpty, "pinnedPublicKeys", "leave it empty"),
                (clientCertificate != nil, "clientCertificate", "use a proxy on the machine that presents it"),
            ].compactMap { (isChanged: Bool, name: String, advice: String) in isChanged ? (name, advice) : nil }
        }
    }

    /// An absolute URL without a user: descriptions of the options show it.
    private static func isScript(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false && url.user() == nil
            && url.password() == nil
    }

    /// A host name or an address: neither empty nor with a scheme, a port, a user or whitespace.
    private static func isHost(_ host: String) -> Bool {
        let isAddress = host.contains(":") && host.utf8.allSatisfy { $0 == UInt8(ascii: ":") || $0.isHexDigit }
        return !host.isEmpty
            && (isAddress || host.utf8.allSatisfy { $0 > UInt8(ascii: " ") && !":/@?#[]\\\"".utf8.contains($0) })
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { Character(UnicodeScalar(self)).isHexDigit }
}
