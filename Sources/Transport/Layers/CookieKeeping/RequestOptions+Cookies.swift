public import HTTPMessages

private enum UsesCookiesKey: RequestOptionKey { static var defaultValue: Bool { true } }
private enum CookieSiteKey: RequestOptionKey { static var defaultValue: CookieSite? { nil } }

extension RequestOptions {
    /// Whether ``CookieKeeping`` sends cookies with the request and stores those of its response; default true.
    ///
    /// A `Cookie` field of the request's own is sent in any case.
    public var usesCookies: Bool {
        get { hasLayerOptions ? self[UsesCookiesKey.self] : true }
        set { self[UsesCookiesKey.self] = newValue }
    }

    /// The page that the request is sent for; default nil: a client without pages, whose requests are of their own
    /// site. It remains the page of a request that follows a redirect.
    public var cookieSite: CookieSite? {
        get { hasLayerOptions ? self[CookieSiteKey.self] : nil }
        set { self[CookieSiteKey.self] = newValue }
    }
}
