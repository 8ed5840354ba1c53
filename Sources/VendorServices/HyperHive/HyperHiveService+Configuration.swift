import Foundation

extension HyperHiveService {
    /// How `Content-Version` is written.
    public enum VersionForm: Hashable, Sendable, CaseIterable {
        /// `"delta v1-v6"`, with quotes. For a full table the first version is 0.
        case quotedDelta
        /// `delta v1-v6`
        case delta
        /// `v6`
        case version
        /// `6`
        case number

        func text(_ base: Int, _ target: Int) -> String {
            switch self {
            case .quotedDelta: "\"delta v\(base)-v\(target)\""
            case .delta: "delta v\(base)-v\(target)"
            case .version: "v\(target)"
            case .number: "\(target)"
            }
        }
    }

    /// The settings of a server.
    public struct Configuration: Sendable {
        /// Path before `/api`, without a slash at the end; default empty.
        public var path = ""
        /// Version of the API in paths; default `v1`.
        public var apiVersion = "v1"
        /// Passwords by user name; default `ann` with the password `open sesame`.
        public var users = ["ann": "open sesame"]
        /// Projects by environment that a sign-in may name; default nil, any.
        public var projects: [String: Set<String>]?
        /// Lifetime of tokens; default 1 day.
        public var tokenLifetime: Duration = .seconds(86_400)
        /// Whether calls with a token need `X-Device-Id` too (400); default false.
        public var requiresDeviceID = false
        /// Resources; default ``Resource/standard``.
        public var resources = Resource.standard
        /// Whether a request for the last version loads the resource's content; default true.
        ///
        /// With false only the first request does, and ``HyperHiveService/load(_:)``.
        public var loadsOnRequest = true
        /// Form of `Content-Version` for deltas; default ``VersionForm/quotedDelta``.
        public var deltaVersionForm = VersionForm.quotedDelta
        /// Form of `Content-Version` for full tables; default ``VersionForm/number``.
        public var fullVersionForm = VersionForm.number
        /// Creates tokens; called concurrently, and must return URL-safe values without repeats.
        public var makeID: @Sendable () -> String = { UUID().uuidString.lowercased() }

        /// The default settings.
        public init() {}
    }
}

extension HyperHiveService.Configuration: CustomStringConvertible, CustomReflectable {
    /// The path and the number of resources, without secrets.
    public var description: String { "HyperHive server at \(path)/api/\(apiVersion), \(resources.count) resources" }
    /// The description and the user names, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["server": description, "users": users.keys.sorted()]) }
}
