public import HTTPMessages

extension MobileFirstService {
    /// A resource of the server, below `/api/adapters/`.
    public struct Adapter: Sendable {
        /// What the service knows of a request when it calls an adapter.
        public struct Context: Hashable, Sendable {
            /// The path segments after the adapter's path, percent-decoded.
            public let tail: [String]
            /// The client id of the token; nil without a token, and for one of a confidential client.
            public let clientID: String?
            /// The scope of the token; nil without a token.
            public let scope: String?
        }

        /// Path below `/api/adapters/`, such as `Bank/balance`. It includes all paths below it.
        public let path: String
        /// Required scope, such as `RegisteredClient transfer`; nil for a public adapter.
        public let scope: String?
        /// Response to a request without a token: true for 403 with the scope, false for 401 with a bare `Bearer`.
        public let namesScope: Bool
        let segments: [String]
        let handler: @Sendable (HTTPRequest, Context) async throws -> HTTPResponse

        /// Creates an adapter.
        /// - Parameters:
        ///   - path: path below `/api/adapters/`; of several matching ones the longest is called.
        ///   - scope: required scope; nil for a public adapter, which ignores tokens.
        ///   - namesScope: whether a request without a token gets 403 with the scope (the default) or 401 without it.
        ///   - handler: called concurrently, with the methods that a server allows.
        public init(
            _ path: String, scope: String? = nil, namesScope: Bool = true,
            handler: @escaping @Sendable (HTTPRequest, Context) async throws -> HTTPResponse
        ) {
            self.path = path
            self.scope = scope
            self.namesScope = namesScope
            self.handler = handler
            segments = path.split(separator: "/").map(String.init)
        }
    }
}
