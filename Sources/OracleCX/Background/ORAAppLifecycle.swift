/// The state of an app.
public enum ORAAppState: Hashable, Sendable {
    /// The app is in the foreground.
    case foreground
    /// The app is in the background and may be suspended.
    case background
}

/// Source of app lifecycle events and background tasks.
///
/// *Choose* ``ORANotifiedLifecycle``, the default, which uses `UIApplication`, or ``ORAManualLifecycle``, which the app
/// sets. *Implement* it for another source, such as `WKApplication`.
public protocol ORAAppLifecycle: Sendable {
    /// Calls `handler` at each later transition, serially and in order, on any thread.
    /// - Returns: a closure that ends the observation.
    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void

    /// Begins a background task, so that the system does not suspend the app while requests run or may still start.
    /// - Parameter expirationHandler: called shortly before the task expires, on any thread; the queue then pauses.
    /// - Returns: a closure that ends the task. Called once, also after `expirationHandler`.
    func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

extension ORAAppLifecycle {
    /// Does nothing: requests continue until the system suspends the app.
    public func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }
}
