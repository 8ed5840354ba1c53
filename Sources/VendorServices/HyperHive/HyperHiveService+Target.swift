import Foundation
import HTTPMessages

extension HyperHiveService {
    /// An endpoint of the server, for counting requests and injecting faults.
    public enum Endpoint: Hashable, Sendable, CaseIterable {
        /// Sign-in.
        case authentication
        /// The resources' schema.
        case schema
        /// The tables of a resource.
        case resource
        /// Stored transactions.
        case transactions
    }

    /// What a path of the server stands for.
    enum Target: Equatable {
        case authentication
        case schema
        case resource(String)
        case transactions
        case transaction(String)

        var endpoint: Endpoint {
            switch self {
            case .authentication: .authentication
            case .schema: .schema
            case .resource: .resource
            case .transactions, .transaction: .transactions
            }
        }

        /// Parses the path of a URL; nil if the server has no such path.
        init?(_ url: URL, in configuration: Configuration) {
            let root = configuration.path + "/api/" + configuration.apiVersion + "/"
            let path = url.path()
            guard path.hasPrefix(root) else { return nil }
            var segments = path.dropFirst(root.count).split(separator: "/", omittingEmptySubsequences: false)
            if segments.last == "" { segments.removeLast() }
            let names = segments.map { $0.removingPercentEncoding ?? "" }
            guard !names.contains("") else { return nil }
            switch (names.first, names.count) {
            case ("auth", 1): self = .authentication
            case ("schema", 1): self = .schema
            case ("rpc", 2): self = .resource(names[1])
            case ("transactions", 1): self = .transactions
            case ("transactions", 2): self = .transaction(names[1])
            default: return nil
            }
        }
    }
}
