/// The differences between recorded traffic and what a client sent, one item per request. It contains no secrets.
public struct TrafficReport: Sendable, CustomStringConvertible {
    /// What became of a request.
    public enum Outcome: Hashable, Sendable {
        /// It was sent as recorded.
        case same
        /// It was sent with differences.
        case different([RequestDifference])
        /// It was recorded and not sent; the error of the call, if there was one.
        case notSent(String?)
        /// It was sent and not recorded.
        case unexpected
    }

    /// One request.
    public struct Item: Hashable, Sendable, CustomStringConvertible {
        /// The number of the recorded exchange, from 0; nil for an unexpected request.
        public let exchange: Int?
        /// The method and the redacted URL.
        public let request: String
        /// What became of it.
        public let outcome: Outcome

        /// The request and its outcome.
        public var description: String {
            let text =
                switch outcome {
                case .same: "as recorded"
                case .different(let differences): differences.map(\.description).joined(separator: "; ")
                case .notSent(let error): error.map { "not sent: \($0)" } ?? "not sent"
                case .unexpected: "not recorded"
                }
            return "\(exchange.map { "\($0). " } ?? "")\(request): \(text)"
        }
    }

    /// The recorded requests in their order, then those that were not expected.
    public let items: [Item]

    /// True if each recorded request was sent as recorded, and no other; false without any request.
    ///
    /// The order of requests is not compared.
    public var isClean: Bool { !items.isEmpty && items.allSatisfy { $0.outcome == .same } }

    /// The items with a difference, one a line; or their number if there is none.
    public var description: String {
        let different = items.filter { $0.outcome != .same }
        return different.isEmpty
            ? items.isEmpty ? "The traffic has no requests" : "\(items.count) requests as recorded"
            : different.map(\.description).joined(separator: "\n")
    }
}
