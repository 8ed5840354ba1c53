/// The redirects that one request follows, by the policy of the layer or less.
@nonexhaustive public enum RequestRedirects: Hashable, Sendable {
    /// Those of the layer's policy.
    case byPolicy
    /// None: the redirect is the response.
    case none
    /// Those of the policy that stay at the origin of the request; one to another origin is the response.
    case sameOrigin
    /// Those of the policy, at most as many; one more is an error.
    case limit(Int)
    /// Those of another policy.
    case policy(RedirectPolicy)

    /// The policy of the request.
    func applied(to policy: RedirectPolicy) -> RedirectPolicy {
        var policy = policy
        switch self {
        case .byPolicy: break
        case .none: policy.methods = [:]
        case .sameOrigin: policy.allowsOtherOrigins = false
        case .limit(let limit): policy.limit = limit
        case .policy(let other): policy = other
        }
        return policy
    }
}
