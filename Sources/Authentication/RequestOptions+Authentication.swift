public import HTTPMessages

private enum SkipsAuthorizationKey: RequestOptionKey { static var defaultValue: Bool { false } }
private enum AuthorizationScopeKey: RequestOptionKey { static var defaultValue: OAuthScope? { nil } }

extension RequestOptions {
    /// Whether ``Authorizing`` sends the request unchanged, and returns a challenge as the response; default false.
    ///
    /// Token requests have it, so they may pass through the layer that waits for the token.
    public var skipsAuthorization: Bool {
        get { hasLayerOptions && self[SkipsAuthorizationKey.self] }
        set { self[SkipsAuthorizationKey.self] = newValue }
    }

    /// The OAuth scope that the request needs; default nil: the learned scope of the URL, or the client's scope.
    public var authorizationScope: OAuthScope? {
        get { hasLayerOptions ? self[AuthorizationScopeKey.self] : nil }
        set { self[AuthorizationScopeKey.self] = newValue }
    }
}
