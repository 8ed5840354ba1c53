/// Whether the app is in front of its user.
public enum ORAAppState: Hashable, Sendable {
    /// It is, or was not put away yet.
    case foreground
    /// It was put away, and may be suspended soon.
    case background
}

/// Tells when the app goes to the background and when it comes back, and asks the system for time there.
///
/// *Choose* ``ORANotifiedLifecycle``, which the manager uses by itself, or ``ORAManualLifecycle`` where the program says
/// so. *Implement* it to ask the system for time in the background, which takes UIKit:
///
/// ```swift
/// struct UIKitLifecycle: ORAAppLifecycle {
///     func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
///         ORANotifiedLifecycle().observe(handler)
///     }
///     func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void { … }
/// }
/// ```
public protocol ORAAppLifecycle: Sendable {
    /// Calls `handler` at each transition from now on, one at a time and in order, on any thread.
    /// - Returns: ends that.
    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void

    /// Asks the system not to suspend the app for a while, because requests are left to send.
    /// - Parameter expired: to be called when that time is nearly over, on any thread; the queue then pauses.
    /// - Returns: tells the system that the time is no longer needed. Called once, also after `expired`.
    func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

extension ORAAppLifecycle {
    /// Asks nobody: requests go on for as long as the system lets the app run.
    public func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }
}
