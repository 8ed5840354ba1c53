public import HTTPMessages
public import PatchbayErrors

/// A challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.3).
///
/// ```swift
/// for challenge in response.head.challenges where challenge.scheme == "bearer" { print(challenge["error"] ?? "") }
/// ```
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme in lower case, such as `basic`, `bearer` or `digest`.
    public let scheme: String
    /// The data of schemes without parameters, such as `negotiate`; nil otherwise.
    public let token68: String?
    /// The parameters in their order: names in lower case, values without quotes and escapes.
    public let parameters: [Parameter]

    /// A parameter of a challenge.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value, without quotes and escapes.
        public let value: String

        /// Creates a parameter.
        public init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    /// Creates a challenge.
    public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme.lowercased()
        self.token68 = token68
        self.parameters = parameters
    }

    /// The first value of a parameter, by its name in lower case.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The protection space.
    public var realm: String? { self["realm"] }

    /// Parses the values of one or more fields, and skips malformed parts.
    public static func parse(_ values: [String]) -> [AuthenticationChallenge] {
        values.flatMap { value in
            var parser = ChallengeParser(value)
            return parser.parse()
        }
    }
}

extension HTTPResponseHead {
    /// The challenges of the `WWW-Authenticate` fields.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(fields.values(of: .wwwAuthenticate))
    }

    /// The challenges of the `Proxy-Authenticate` fields.
    public var proxyChallenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(fields.values(of: .proxyAuthenticate))
    }
}

extension AuthenticationChallenge: RedactedStringConvertible {
    /// The scheme and the names of the parameters; values may be secret.
    public var description: String {
        token68 == nil
            ? "\(scheme) \(parameters.map(\.name).joined(separator: ", "))" : "\(scheme) \(Redaction.placeholder)"
    }
}

extension AuthenticationChallenge.Parameter: RedactedStringConvertible {
    /// The name; the value may be secret.
    public var description: String { name }
}
