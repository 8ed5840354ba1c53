import Foundation

extension SAPService {
    /// A generation of the server, which decides the names of its cookies.
    public enum Product: Hashable, Sendable {
        /// Sybase Unwired Platform 2: cookies `X-SUP-…`; it reads these names only.
        case unwiredPlatform
        /// SAP Mobile Platform 3: cookies `X-SMP-…`; it reads the older names too.
        case mobilePlatform
    }

    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The generation of the server; default ``Product/mobilePlatform``.
        public var product = Product.mobilePlatform
        /// Name of the proxy connection, the first segment of data's paths; default `FlightProxy`.
        public var proxyName = "FlightProxy"
        /// Id of the farm in the paths of relay servers; default `Farm1`.
        public var farmID = "Farm1"
        /// Passwords by user name; default `ann` with the password `open sesame`.
        public var users = ["ann": "open sesame"]
        /// Accepted authentication, in the order of the challenges; default Basic. Empty for none.
        public var schemes: [Scheme] = [.basic]
        /// Realm of the challenges; default `SAP`.
        public var realm = "SAP"
        /// Time until a nonce is stale; default 5 minutes.
        public var nonceLifetime: Duration = .seconds(300)
        /// Whether each response to a Digest request has a `nextnonce`; default false.
        public var rotatesNonces = false
        /// Whether writes of data require a CSRF token with its cookie; default true.
        public var requiresTokens = true
        /// Whether `X-Requested-With: XMLHttpRequest` replaces the token; default true.
        public var acceptsRequestedWith = true
        /// Whether a change without `If-Match` gets 428; default false, which changes without a check.
        public var requiresIfMatch = false
        /// The flights at the start, by key; see ``SAPService/flights``.
        public var flights: [String: [String: String]] = [
            "LH400": ["Carrier": "LH", "Seats": "350", "Price": "499.90", "Departure": "2014-03-01T10:30:00"],
            "AA17": ["Carrier": "AA", "Seats": "220", "Price": "312.00", "Cancelled": "true"],
            "SQ2": ["Carrier": "SQ", "Seats": "410", "Departure": "2014-03-02T23:55:00"],
        ]
        /// Creates ids, nonces and tokens; called concurrently, and must return URL-safe values without repeats.
        public var makeID: @Sendable () -> String = { UUID().uuidString.lowercased() }

        /// The default settings.
        public init() {}
    }
}

extension SAPService.Configuration: CustomStringConvertible, CustomReflectable {
    /// The proxy's name, without secrets.
    public var description: String { "SAP server with the proxy \(proxyName)" }
    /// The proxy's name and the user names, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["proxyName": proxyName, "users": users.keys.sorted()]) }
}
