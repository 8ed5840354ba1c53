import Transport

extension CurlTransport {
    /// A protection of this transport that depends on the version of libcurl.
    public struct Protection: Hashable, Sendable, CustomStringConvertible {
        /// What it protects from.
        public let description: String
        /// The versions of libcurl that allow it.
        private let isAllowed: @Sendable (CurlVersion) -> Bool
        private let name: String

        private init(_ name: String, _ description: String, _ isAllowed: @escaping @Sendable (CurlVersion) -> Bool) {
            self.name = name
            self.description = description
            self.isAllowed = isAllowed
        }

        /// A request that is not idempotent is sent once, also over a reused connection (7.80).
        ///
        /// With older versions it gets a connection of its own.
        public static let sendsOnceOverReusedConnections = Protection(
            "sendsOnceOverReusedConnections", "A POST is sent once over reused connections."
        ) { $0.hasRequestCallback }
        /// Name resolution that does not end delays no other request (7.87).
        public static let endsNameResolution = Protection(
            "endsNameResolution", "A request whose name resolution does not end delays no other request."
        ) { $0.hasQuickExit }
        /// Requests share connections of HTTP/2 without TLS (not 7.88).
        public static let sharesPlainHTTP2 = Protection(
            "sharesPlainHTTP2", "Requests share connections of HTTP/2 without TLS."
        ) { !$0.breaksPriorKnowledge }
        /// A body that is cut with its HTTP/2 connection is an error, also beside other requests (8.1).
        ///
        /// With older versions the failure of an HTTP/2 session is noticed only by the last request on its connection.
        public static let detectsAllCutBodies = Protection(
            "detectsAllCutBodies", "Each body of a failed HTTP/2 session is truncated, not only the last one."
        ) { !$0.hidesHTTP2Failures }

        private static let all = [
            sendsOnceOverReusedConnections, endsNameResolution, sharesPlainHTTP2, detectsAllCutBodies,
        ]

        static func allowed(by version: CurlVersion) -> Set<Protection> { Set(all.filter { $0.isAllowed(version) }) }

        /// Compares the protections.
        public static func == (left: Protection, right: Protection) -> Bool { left.name == right.name }
        /// Hashes the protection.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The protections that the system's libcurl allows; see ``libraryVersion``.
    /// - Throws: `unsupported` when libcurl is missing or too old.
    public static var protections: Set<Protection> {
        get throws(TransportError) { Protection.allowed(by: try library.version) }
    }
}
