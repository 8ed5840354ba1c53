/// When to replace credentials, and when to stop trying.
public struct RefreshPolicy: Hashable, Sendable {
    /// The time before its expiry at which the refresh of a credential starts; default 30 seconds.
    ///
    /// Calls use the credential until it expires or the new one is there, also if the refresh fails. At most a tenth of
    /// the credential's lifetime, so that short-lived credentials are not replaced on every call. Zero for an
    /// authorizer that may ask the user: a dialog for a credential that is still valid would surprise.
    public var leeway: Duration
    /// Maximum number of failures within ``window``; default 3. Each scope counts separately.
    ///
    /// A failure is a refresh that failed, or a new credential that a server rejected before accepting it once. One
    /// without a server's response does not count, such as without a network or with an open circuit, nor does
    /// `signInRequired`. At the maximum, challenges are returned to the caller, and calls without a credential
    /// fail with `tooManyRefreshes`.
    public var maximumFailures: Int
    /// The sliding window for ``maximumFailures``; default 30 seconds.
    public var window: Duration

    /// Creates a policy.
    public init(leeway: Duration = .seconds(30), maximumFailures: Int = 3, window: Duration = .seconds(30)) {
        self.leeway = leeway
        self.maximumFailures = maximumFailures
        self.window = window
    }

    /// The defaults.
    public static let standard = RefreshPolicy()
}
