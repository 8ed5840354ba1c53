import Foundation
import HTTPMessages

/// The proxy environment variables, the only way to set a proxy on Linux; libcurl reads them for each request.
struct ProxyEnvironment {
    static let advice =
        "On Linux a proxy is set by http_proxy, https_proxy or all_proxy in the environment; no_proxy lists exceptions."

    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// True when a proxy is set for some requests.
    var isSet: Bool { first(of: "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") != nil }

    /// True if requests to an origin go to an HTTP proxy, which reads their fields.
    ///
    /// False in doubt: credentials of a proxy must not reach a server. Versions of libcurl differ in how they read
    /// `no_proxy`, so an entry counts if any of them would use it.
    func sendsToProxy(_ origin: Origin) -> Bool {
        guard !origin.isSecure, let proxy = first(of: "http_proxy", "all_proxy", "ALL_PROXY") else { return false }
        let parts = proxy.split(separator: "://", maxSplits: 1)
        guard parts.count == 1 || ["http", "https"].contains(parts[0].lowercased()) else { return false }
        return !isException(origin.host)
    }

    private func isException(_ host: String) -> Bool {
        let host = Self.normalized(host)
        let exceptions = (first(of: "no_proxy", "NO_PROXY") ?? "").split { $0 == "," || $0.isWhitespace }
        return exceptions.contains { exception in
            let exception = Self.normalized(exception)
            return exception == "*" || host == exception || host.hasSuffix(".\(exception)")
                || IPv4Block(exception)?.contains(host) == true
        }
    }

    private func first(of names: String...) -> String? {
        names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    private static func normalized(_ host: some StringProtocol) -> String {
        host.lowercased().trimmingCharacters(in: ["[", "]", "."])
    }
}

/// A block of IPv4 addresses, such as `10.0.0.0/8` (RFC 4632).
private struct IPv4Block {
    private let prefix: UInt32
    private let length: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let prefix = Self.address(parts[0]), let length = Int(parts[1]), 0...32 ~= length else {
            return nil
        }
        (self.prefix, self.length) = (prefix, length)
    }

    func contains(_ host: String) -> Bool {
        guard let address = Self.address(host[...]) else { return false }
        return (address ^ prefix) >> UInt32(32 - length) == 0
    }

    private static func address(_ text: Substring) -> UInt32? {
        let bytes = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard bytes.count == 4 else { return nil }
        return bytes.reduce(UInt32?.some(0)) { address, byte in
            guard let address, let byte else { return nil }
            return address << 8 | UInt32(byte)
        }
    }
}
