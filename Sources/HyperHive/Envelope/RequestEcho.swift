import HTTPMessages
import JSON

extension HyperHiveResult {
    /// Description of the call in the envelope.
    public struct RequestEcho: Hashable, Sendable {
        /// The name of the call, such as `deltaStream`.
        public var type: String
        /// The URL, redacted; nil when nothing was sent.
        public var url: String?
        /// The resource; nil without one.
        public var resource: String?
        /// The transaction ID; nil without one.
        public var transactionID: String?
        /// Absolute path of the database that is written; nil for none.
        public var destination: String?
        /// Absolute path of the database that is queried; nil for none.
        public var source: String?
        /// The statements of a query.
        public var statements: [String] = []
        /// Maximum number of retries.
        public var retryCount = 0
        /// Seconds before each retry.
        public var retryIntervalSec = 0
        /// The server, user and device; nil for a call that is local.
        public var configuration: HyperHiveConfiguration?
        /// The user's login; empty when not signed in.
        public var login = ""

        init(_ type: String) { self.type = type }
    }
}

extension HyperHiveResult.RequestEcho {
    /// The echo as JSON.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(type), "retryCount": .integer(Int64(retryCount)),
            "retryIntervalSec": .integer(Int64(retryIntervalSec)), "ignoreSslErrors": false,
        ]
        members["url"] = url.map { .string($0) }
        members["resource"] = resource.map { .object(["name": .string($0)]) }
        members["transactionId"] = transactionID.map { .string($0) }
        members["destination"] = destination.map { .object(["database": .object(["name": .string($0)])]) }
        members["source"] = source.map { name in
            .object([
                "database": .object(["name": .string(name), "statements": .array(statements.map { .string($0) })])
            ])
        }
        members["credentials"] = configuration.map { configuration in
            .object([
                "api": .string(configuration.apiVersion), "host": .string(configuration.host),
                "env": .string(configuration.environment), "prj": .string(configuration.project),
                "device": .string(configuration.device), "username": .string(login),
                "password": .string(Redaction.placeholder), "token": .string(Redaction.placeholder),
            ])
        }
        return .object(members)
    }
}
