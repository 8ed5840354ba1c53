/// The layers of this module as modifiers, in reading order: each modifier wraps the transport before it.
///
/// ```swift
/// let transport = URLSessionTransport.shared.keepingCookies().redirecting()
/// ```
///
/// `Documentation/Layers.md` says which layer goes where, and why.
extension Transport {
    /// Follows redirects.
    /// - Parameters:
    ///   - policy: the redirects to follow, and the parts of the request to forward.
    ///   - clock: measures the total timeout.
    public func redirecting(
        _ policy: RedirectPolicy = .standard, clock: some Clock<Duration> = ContinuousClock()
    ) -> Redirecting<Self> {
        Redirecting(base: self, policy: policy, clock: clock)
    }

    /// Stores the cookies of responses, and sends them with requests.
    /// - Parameter jar: the cookies; by default a new jar.
    public func keepingCookies(in jar: CookieJar = CookieJar()) -> CookieKeeping<Self> {
        CookieKeeping(base: self, jar: jar)
    }
}
