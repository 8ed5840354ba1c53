import Foundation
import HTTPMessages

/// The host and port in libcurl's "Failed to connect to HOST port PORT"; with a proxy, those of the proxy.
struct FailedConnection {
    let host: String
    let port: String

    init?(_ text: String) {
        guard let match = text.firstMatch(of: #/Failed to connect to (\S+) port (\d+)/#) else { return nil }
        host = String(match.1)
        port = String(match.2)
    }

    /// - Parameters:
    ///   - isRefused: false when there is no route.
    ///   - isProxy: true when the address is that of a proxy.
    func meaning(isRefused: Bool, isProxy: Bool) -> EngineFailure.Meaning {
        let problem = isRefused ? "Connection refused" : "No route to host"
        return isProxy
            ? EngineFailure.Meaning(.proxy, problem, proxy: "\(host):\(port)", advice: ProxyEnvironment.advice)
            : EngineFailure.Meaning(isRefused ? .connectionRefused : .unreachable, problem)
    }

    /// True when a proxy is set and the address differs from the origin's.
    func isProxy(for origin: Origin, environment: [String: String]) -> Bool {
        guard ProxyEnvironment(environment).isSet else { return false }
        let server = origin.host.trimmingCharacters(in: ["[", "]"])
        return host.lowercased() != (server.removingPercentEncoding ?? server).lowercased() || port != origin.port
    }
}
