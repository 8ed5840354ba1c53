public import HTTPMessages

/// Which redirects are followed, and what goes along to where they lead.
///
/// ```swift
/// var policy = RedirectPolicy.standard
/// policy.methods[.found] = .kept
/// policy.secretFields = [try HTTPFieldName("X-Partner")]
/// ```
///
/// Whatever the policy, only `http` and `https` are gone to, a URL with a user or a password is not, and
/// `Authorization`, `Proxy-Authorization` and `Cookie` never reach another origin.
public struct RedirectPolicy: Hashable, Sendable {
    /// What becomes of the method and the body of a request that is redirected.
    public enum MethodRule: Hashable, Sendable {
        /// Both stay as they are.
        case kept
        /// `POST` becomes `GET` without a body; every other method stays, and its body too.
        case postBecomesGet
        /// Every method but `HEAD` becomes `GET` without a body.
        case becomesGet
    }

    /// The rule for each status that is followed. A response of another status is returned as it is.
    public var methods: [HTTPStatus: MethodRule]
    /// The most redirects that one call follows.
    public var limit: Int
    /// True when a request that was sent before is refused, unless a response has set a cookie since. Without it the
    /// limit ends a circle.
    public var detectsLoops: Bool
    /// True when a redirect may lead from `https` to `http`.
    public var allowsDowngrade: Bool
    /// The only fields that a request keeps where the status's rule is ``MethodRule/becomesGet``. Nil keeps all but
    /// those that describe the body.
    public var keptFields: Set<HTTPFieldName>?
    /// Fields whose names this calls secret are dropped when the origin changes.
    ///
    /// The words of `Redaction.standard` know more than can be listed: keys, tokens and sessions have many names. Now
    /// and then that drops a field which was no secret; a token sent to a stranger would be worse.
    public var secrets: Redaction
    /// More fields that are dropped when the origin changes.
    public var secretFields: Set<HTTPFieldName>

    /// A policy; what is left out is as in ``standard``.
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

    /// The rules of RFC 9110, section 15.4: 301 and 302 make a `GET` of a `POST`, 303 of everything but `HEAD`, and 307
    /// and 308 change nothing.
    public static let standardMethods: [HTTPStatus: MethodRule] = [
        .movedPermanently: .postBecomesGet, .found: .postBecomesGet, .seeOther: .becomesGet,
        .temporaryRedirect: .kept, .permanentRedirect: .kept,
    ]

    /// ``standardMethods``, at most 20 redirects, no circles, and never from `https` to `http`.
    public static let standard = RedirectPolicy()

    /// Follows nothing.
    public static let never = RedirectPolicy(methods: [:])
}
