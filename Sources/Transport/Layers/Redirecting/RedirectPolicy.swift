public import HTTPMessages

/// Which redirects to follow, and which parts of the request to forward.
///
/// ```swift
/// var policy = RedirectPolicy.standard
/// policy.methods[.found] = .kept
/// policy.secretFields = [try HTTPFieldName("X-Partner")]
/// ```
///
/// Under every policy, targets must be `http` or `https` without a user or password, and `Authorization`,
/// `Proxy-Authorization`, `Cookie` and a body with credentials (`RequestOptions.hasSecretBody`) are never forwarded to
/// another origin.
public struct RedirectPolicy: Hashable, Sendable {
    /// How a redirect changes the request's method and body.
    @nonexhaustive public enum MethodRule: Hashable, Sendable {
        /// Keeps both.
        case kept
        /// Turns `POST` into `GET` without a body; keeps other methods and their bodies.
        case postBecomesGet
        /// Turns every method except `HEAD` into `GET` without a body.
        case becomesGet
    }

    /// The rule for each status to follow; responses of other statuses are returned unchanged.
    public var methods: [HTTPStatus: MethodRule]
    /// Maximum number of redirects per request.
    public var limit: Int
    /// Whether a redirect to a request sent before is an error, unless a response has set a cookie since.
    ///
    /// If false, only the limit ends a loop.
    public var detectsLoops: Bool
    /// Whether a redirect from `https` to `http` is allowed.
    public var allowsDowngrade: Bool
    /// Whether redirects to another origin are followed; if false, one is returned as the response. Default true.
    public var allowsOtherOrigins = true
    /// The only fields to keep under ``MethodRule/becomesGet``; nil keeps all except those that describe the body.
    public var keptFields: Set<HTTPFieldName>?
    /// Drops the fields with secret names when the origin changes.
    ///
    /// `Redaction.standard` matches words in names, since keys, tokens and sessions have many names. It may drop a
    /// harmless field, which is better than sending a token to another origin. An `Idempotency-Key` is kept, since the
    /// target may get the request twice; ``secretFields`` may name it.
    public var secrets: Redaction
    /// Further fields to drop when the origin changes.
    public var secretFields: Set<HTTPFieldName>

    /// Creates a policy; the defaults are those of ``standard``.
    public init(
        methods: [HTTPStatus: MethodRule] = Self.standardMethods, limit: Int = 20, detectsLoops: Bool = true,
        allowsDowngrade: Bool = false, keptFields: Set<HTTPFieldName>? = nil, secrets: Redaction = .standard,
        secretFields: Set<HTTPFieldName> = []
    ) {
        self.methods = methods
        self.limit = limit
        self.detectsLoops = detectsLoops
        self.allowsDowngrade = allowsDowngrade
        self.keptFields = keptFields
        self.secrets = secrets
        self.secretFields = secretFields
    }

    /// The rules of RFC 9110, section 15.4.
    ///
    /// 301 and 302 turn `POST` into `GET`, 303 turns every method except `HEAD` into `GET`, 307 and 308 change nothing.
    public static let standardMethods: [HTTPStatus: MethodRule] = [
        .movedPermanently: .postBecomesGet, .found: .postBecomesGet, .seeOther: .becomesGet,
        .temporaryRedirect: .kept, .permanentRedirect: .kept,
    ]

    /// ``standardMethods``, at most 20 redirects, loop detection, no downgrade from `https` to `http`.
    public static let standard = RedirectPolicy()

    /// Follows no redirects.
    public static let never = RedirectPolicy(methods: [:])
}
