public import HTTPMessages

/// How requests are compared with recorded ones, and which secrets are removed.
///
/// ```swift
/// var rules = RecordingRules.standard
/// rules.comparesBody = true
/// rules.ignoredParameters = ["timestamp"]
/// ```
public struct RecordingRules: Sendable {
    /// What happens to a request whose recordings are all used.
    @nonexhaustive public enum Exhaustion: Hashable, Sendable {
        /// It fails, or is recorded in the mode `update`.
        case fail
        /// It gets the last recording again.
        case last
    }

    /// The request fields that are compared; default none. `Content-Encoding` never is: bodies are recorded, and
    /// compared, before it.
    public var fields: Set<HTTPFieldName> = []
    /// Whether the parameters of the query are compared, in any order; default true.
    public var comparesQuery = true
    /// Whether bodies are compared; default false. JSON is compared by value, forms by parameter in any order,
    /// multipart bodies without their boundary.
    public var comparesBody = false
    /// Names that are not compared: parameters of the query and of forms, and members of JSON at any depth.
    public var ignoredParameters: Set<String> = []
    /// Changes requests before they are compared, sent ones and recorded ones, such as to drop a random part; default
    /// nil.
    public var normalize: (@Sendable (inout HTTPRequest) throws -> Void)?
    /// The requests that are recorded and replayed; others are sent in all modes. Default all.
    public var includes: (@Sendable (HTTPRequest) -> Bool)?
    /// What happens to a request whose recordings are all used; default ``Exhaustion/fail``.
    public var exhaustion = Exhaustion.fail

    /// The names of secrets, whose values are replaced before an exchange is kept. Bodies of responses keep `code`.
    public var redaction = Redaction.standard
    /// Texts that must not be in a recording, such as the password of the test; saving fails if one is. Default none.
    ///
    /// The values of credentials that were removed from one place are such texts too, if they have 8 characters.
    public var secretWords: Set<String> = []
    /// Changes each exchange before it is kept, after the secrets were removed; default nil.
    public var edit: (@Sendable (inout Recording.Exchange) -> Void)?
    /// Maximum bytes of a body in a recording; saving fails with a longer one. Default 16 MiB.
    public var maximumBodyBytes = 16 << 20

    /// Method, URL and query; secrets by `Redaction.standard`.
    public static let standard = RecordingRules()

    /// Creates rules with the defaults.
    public init() {}

    /// Creates rules.
    /// - Parameter configure: changes the defaults.
    public init(_ configure: (inout RecordingRules) -> Void) { configure(&self) }

    /// The method and the URL without secrets.
    func text(_ request: HTTPRequest) -> String { "\(request.method) \(redaction.redacted(request.url))" }

    /// True if equal method and URL are enough for a match.
    var comparesURLOnly: Bool { fields.isEmpty && !comparesBody && normalize == nil }
}
