public import HTTPMessages

private enum UsesCookiesKey: RequestOptionKey { static var defaultValue: Bool { true } }

extension RequestOptions {
    /// Whether ``CookieKeeping`` sends cookies with the request and stores those of its response; default true.
    ///
    /// A `Cookie` field of the request's own is sent in any case.
    public var usesCookies: Bool {
        get { hasLayerOptions ? self[UsesCookiesKey.self] : true }
        set { self[UsesCookiesKey.self] = newValue }
    }
}
