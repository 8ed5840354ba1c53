/// The state of an app.
public enum ORAAppState: Hashable, Sendable {
    /// The app is visible, or has not left the foreground yet.
    case foreground
    /// The app is in the background, and may be suspended soon.
    case background
}

/// Source of the app's transitions to the background and back, and of time in the background.
///
/// *Choose* ``ORANotifiedLifecycle``, the default, which uses `UIApplication`, or ``ORAManualLifecycle``, which the program
/// sets. *Implement* it where the app has another source, such as `WKApplication`.
public protocol ORAAppLifecycle: Sendable {
    /// Calls `handler` at each transition from now on, one at a time and in order, on any thread.
    /// - Returns: ends the observation.
    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void

    /// Asks the system not to suspend the app for a while, because requests are left to send.
    /// - Parameter expired: to be called when that time is nearly over, on any thread; the queue then pauses.
    /// - Returns: tells the system that the time is no longer needed. Called once, also after `expired`.
    func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

extension ORAAppLifecycle {
    /// Does nothing: requests go on for as long as the system lets the app run.
    public func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }
}
