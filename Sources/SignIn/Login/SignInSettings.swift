public import HTTPMessages

/// Durations of a sign-in.
public struct SignInSettings: Hashable, Sendable {
    /// How long the browser may take to return; default 10 minutes.
    public var responseTimeout: Duration
    /// The timeouts of each request to the server; default 30 seconds in total.
    public var timeouts: Timeouts
    /// How much the clocks may differ when the times of an ID token are checked; default 5 minutes.
    ///
    /// The times are checked by the server's clock, as far as its responses have a `Date`.
    public var clockTolerance: Duration

    /// Creates settings.
    public init(
        responseTimeout: Duration = .seconds(600), timeouts: Timeouts = Timeouts(total: .seconds(30)),
        clockTolerance: Duration = .seconds(300)
    ) {
        self.responseTimeout = responseTimeout
        self.timeouts = timeouts
        self.clockTolerance = clockTolerance
    }

    /// - Throws: ``SignInError`` (`invalidConfiguration`); `HTTPMessageError` of the timeouts.
    func validate() throws {
        try timeouts.validate()
        guard responseTimeout > .zero, responseTimeout <= .century else {
            throw SignInError(
                .invalidConfiguration,
                "`SignInSettings.responseTimeout` is \(responseTimeout); use more than 0 and at most 100 years.")
        }
        guard clockTolerance >= .zero, clockTolerance <= .seconds(86400) else {
            throw SignInError(
                .invalidConfiguration, "`SignInSettings.clockTolerance` is \(clockTolerance); use 0 to a day.")
        }
    }
}
