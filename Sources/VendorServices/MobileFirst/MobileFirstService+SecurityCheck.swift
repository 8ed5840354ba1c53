public import HTTPMessages

extension MobileFirstService {
    /// A security check: challenges a client until its credential is right, and blocks it after too many failures.
    public struct SecurityCheck: Sendable {
        /// The name, unique in a server.
        public let name: String
        /// Wrong credentials until the check blocks the client; at least 1.
        public let attempts: Int
        /// Time until a success expires.
        public let successLifetime: Duration
        /// Time until a block ends.
        public let blockDuration: Duration
        let identity: @Sendable (JSONValue) -> JSONValue?

        /// Creates a check.
        /// - Parameters:
        ///   - name: the name, unique in a server.
        ///   - attempts: wrong credentials until the check blocks the client, at least 1; default 3.
        ///   - successLifetime: time until a success expires; default 1 hour.
        ///   - blockDuration: time until a block ends; default 1 minute.
        ///   - identity: the success object for a right credential, nil for a wrong one. The service adds
        ///     `authenticatedAt` and `authenticatedBy` to a member `user`.
        public init(
            _ name: String, attempts: Int = 3, successLifetime: Duration = .seconds(3600),
            blockDuration: Duration = .seconds(60), identity: @escaping @Sendable (JSONValue) -> JSONValue?
        ) {
            self.name = name
            self.attempts = max(1, attempts)
            self.successLifetime = successLifetime.capped
            self.blockDuration = blockDuration.capped
            self.identity = identity
        }

        /// A check of a PIN: the credential is `{"pin": "1234"}`, the success object is empty.
        public static func pin(
            _ pin: String = "1234", name: String = "PinCode", attempts: Int = 3,
            successLifetime: Duration = .seconds(3600), blockDuration: Duration = .seconds(60)
        ) -> SecurityCheck {
            SecurityCheck(
                name, attempts: attempts, successLifetime: successLifetime, blockDuration: blockDuration
            ) { credential in
                credential["pin"]?.string == pin ? [:] : nil
            }
        }

        /// A check of user name and password: `{"username": "ann", "password": "open sesame"}`.
        ///
        /// The success object has the member `user`: `id`, `displayName`, `authenticatedAt` in milliseconds,
        /// `authenticatedBy` and `attributes`.
        public static func credentials(
            _ users: [String: String] = ["ann": "open sesame"], name: String = "UserLogin", attempts: Int = 3,
            successLifetime: Duration = .seconds(3600), blockDuration: Duration = .seconds(60)
        ) -> SecurityCheck {
            SecurityCheck(
                name, attempts: attempts, successLifetime: successLifetime, blockDuration: blockDuration
            ) { credential in
                guard let user = credential["username"]?.string, let password = credential["password"]?.string,
                    users[user] == password
                else { return nil }
                return ["user": ["id": .string(user), "displayName": .string(user), "attributes": [:]]]
            }
        }
    }
}

extension Duration {
    /// At most 100 years, so that sums do not overflow.
    var capped: Duration { min(self, .century) }
    /// Whole milliseconds.
    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
