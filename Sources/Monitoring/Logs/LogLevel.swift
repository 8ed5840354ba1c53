/// How much a text log writes of a call.
@nonexhaustive public enum LogLevel: Hashable, Sendable {
    /// Nothing.
    case off
    /// The start and the end of a call, and the steps of its layers: retries, redirects, challenges, credentials,
    /// circuits, hedges, shared requests, the cache, and the app's own.
    case basic
    /// Also each attempt, and the header fields of its request and its response.
    case headers
    /// Also the first bytes of bodies that are text.
    case body(maximumBytes: Int)

    /// As ``body(maximumBytes:)`` with 1,024 bytes.
    public static let body = LogLevel.body(maximumBytes: 1024)

    var bodyLimit: Int {
        if case .body(let count) = self { max(0, count) } else { 0 }
    }

    var showsFields: Bool { self != .off && self != .basic }
}
