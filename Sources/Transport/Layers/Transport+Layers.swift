public import HTTPMessages

/// The layers of this module as modifiers, in reading order: each modifier wraps the transport before it.
///
/// ```swift
/// let transport = URLSessionTransport.shared.keepingCookies().redirecting()
/// ```
///
/// For an `any Transport`, begin with `AnyTransport(transport)`.
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

    /// Compresses the bodies of requests to servers whose responses name a coding in `Accept-Encoding`.
    /// - Parameters:
    ///   - codings: what servers accept; by default a new table.
    ///   - clock: measures the total timeout.
    public func compressingRequests(
        _ codings: AcceptedCodings = AcceptedCodings(), clock: some Clock<Duration> = ContinuousClock()
    ) -> CompressingRequests<Self> {
        CompressingRequests(base: self, codings: codings, clock: clock)
    }

    /// Changes each request before it is sent, such as by adding a field.
    /// - Parameter change: its errors are thrown to the caller.
    public func modifyingRequests(
        _ change: @escaping @Sendable (inout HTTPRequest) async throws -> Void
    ) -> ModifyingRequests<Self> {
        ModifyingRequests(base: self, change)
    }

    /// Calls a closure with the head of each response and its request, before the caller gets the response.
    /// - Parameter inspect: its errors are thrown to the caller, in place of the response.
    public func onResponse(
        _ inspect: @escaping @Sendable (HTTPResponseHead, HTTPRequest) async throws -> Void
    ) -> InspectingResponses<Self> {
        InspectingResponses(base: self, inspect)
    }
}
