public import Foundation

extension MobileFirstService {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// Path of the server; the API is below `{path}/api`. Default `/mfp`.
        public var path = "/mfp"
        /// Realm of `Bearer` challenges; default nil, no realm.
        public var realm: String?
        /// Security checks; default ``SecurityCheck/pin(_:name:attempts:successLifetime:blockDuration:)`` and
        /// ``SecurityCheck/credentials(_:name:attempts:successLifetime:blockDuration:)``.
        public var checks: [SecurityCheck] = [.pin(), .credentials()]
        /// Names of security checks by scope element. The name of a check is also a scope element.
        ///
        /// Default: `transfer` requires `PinCode`, `profile` requires `UserLogin`, `premium` both, `accessRestricted`
        /// none. `RegisteredClient` never requires a check.
        public var scopes: [String: [String]] = [
            "transfer": ["PinCode"], "profile": ["UserLogin"], "premium": ["PinCode", "UserLogin"],
            "accessRestricted": [],
        ]
        /// Scope that every preauthorization must also satisfy, and that tokens do not contain; default empty.
        public var mandatoryScope = ""
        /// Resources; default ``Adapter/standard``.
        public var adapters: [Adapter] = Adapter.standard
        /// Secrets of confidential clients by id; default `test` with the secret `test`.
        public var confidentialClients = ["test": "test"]
        /// Redirect URIs that the authorization endpoint accepts; default `http://mfpredirecturi`.
        public var redirectURIs: Set<String> = ["http://mfpredirecturi"]
        /// Lifetime of access tokens; default 1 hour.
        public var tokenLifetime: Duration = .seconds(3600)
        /// Lifetime of refresh tokens, restarted by each refresh; default nil, none. The vendor has 30 days.
        public var refreshTokenLifetime: Duration?
        /// Lifetime of authorization codes; default 1 minute.
        public var codeLifetime: Duration = .seconds(60)
        /// Accepted difference between the client's and the server's clock; default 30 seconds.
        public var clockTolerance: Duration = .seconds(30)
        /// Time of day at the service's creation; later ones follow its clock. Default now.
        public var startTime = Date()
        /// Check of client signatures; default ``SignatureVerifier/structural``; ``SignatureVerifier/rs256`` verifies
        /// them.
        public var signatures = SignatureVerifier.structural
        /// A login page in front of the server; default nil.
        public var gateway: Gateway?
        /// Creates client ids, codes and tokens; called concurrently, and must return URL-safe values without repeats.
        public var makeID: @Sendable () -> String = { UUID().uuidString.lowercased() }

        /// The default settings.
        public init() {}
    }
}

extension MobileFirstService.Configuration: CustomStringConvertible, CustomReflectable {
    /// The path, without secrets.
    public var description: String { "MobileFirst server at \(path)" }
    /// The path and the names of checks, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "checks": checks.map(\.name)]) }
}
