public import HTTPMessages

private enum ProxyChallengeKey: ResponseMetadataKey { static var defaultValue: Bool { false } }

extension HTTPResponseHead {
    /// Whether an HTTP proxy challenges the request (status 407); default false.
    ///
    /// Any server can send status 407, to get the password of a proxy. So an engine sets this only if it knows that the
    /// request went to a proxy that reads its fields: never for `https`, whose fields pass the proxy in a tunnel.
    /// Without it, status 407 is an ordinary response.
    public var isProxyChallenge: Bool {
        get { self[ProxyChallengeKey.self] }
        set { self[ProxyChallengeKey.self] = newValue }
    }
}
