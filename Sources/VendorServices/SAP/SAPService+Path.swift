import Foundation
import HTTPMessages

extension SAPService {
    /// A path of the server, with its prefixes taken apart.
    struct Path: Equatable {
        enum Target: Hashable {
            case connections(app: String)
            case connection(app: String, id: String)
            case serviceDocument
            case flights
            case flight(key: String)
            case download(bytes: Int)
        }

        let target: Target
        /// True below `public`: the anonymous security configuration.
        let isPublic: Bool
        /// The raw path before `Connections` or `Flights`, such as `/public/FlightProxy`, for URLs in responses.
        let root: String

        var endpoint: Endpoint {
            switch target {
            case .connections, .connection: .connections
            case .serviceDocument, .flights, .flight, .download: .data
            }
        }

        /// Parses the path of a URL; nil if the server has no such path.
        init?(_ url: URL, in configuration: Configuration) {
            var raw = url.path().split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            if raw.last == "" { raw.removeLast() }
            let prefix = raw.prefix(Self.prefixCount(of: raw, in: configuration))
            isPublic = prefix.last == "public"
            let tail = raw.dropFirst(prefix.count).map { $0.removingPercentEncoding ?? "" }
            guard !tail.contains("") else { return nil }
            guard let (target, rootCount) = Self.target(tail, in: configuration) else { return nil }
            self.target = target
            root = raw.prefix(prefix.count + rootCount).map { "/" + $0 }.joined()
        }

        /// The number of segments of the relay server and of `public`.
        private static func prefixCount(of raw: ArraySlice<Substring>, in configuration: Configuration) -> Int {
            let relays = [["ias_relay_server", "client", "rs_client.dll"], ["cli", "iasrelayserver"]]
            let relay = relays.map { $0 + [configuration.farmID] }.first {
                raw.map { $0.removingPercentEncoding ?? "" }.starts(with: $0)
            }
            let count = relay?.count ?? 0
            return raw.dropFirst(count).first == "public" ? count + 1 : count
        }

        private static func target(_ tail: [String], in configuration: Configuration) -> (Target, rootCount: Int)? {
            if tail.count == 5, tail[0] == "odata", tail[1] == "applications", ["v1", "latest"].contains(tail[2]) {
                if tail[4] == "Connections" { return (.connections(app: tail[3]), 4) }
                return ODataKey.parse(tail[4], of: "Connections").map { (.connection(app: tail[3], id: $0), 4) }
            }
            guard tail.first == configuration.proxyName else { return nil }
            switch tail.count {
            case 1: return (.serviceDocument, 1)
            case 2 where tail[1] == "Flights": return (.flights, 1)
            case 2: return ODataKey.parse(tail[1], of: "Flights").map { (.flight(key: $0), 1) }
            case 3 where tail[1] == "Download":
                guard let bytes = Int(tail[2]), (0...(64 << 20)).contains(bytes) else { return nil }
                return (.download(bytes: bytes), 1)
            default: return nil
            }
        }
    }
}
