package import Coordination

/// A transfer observer that calls a closure with the progress.
///
/// ```swift
/// let file = try await transport.download(request, to: url, observer: .progress { print($0.fraction ?? 0) })
/// ```
///
/// The closure gets the first and the last value, and those between that differ by a percent or come 0.1 seconds after
/// the one before: a transfer has an event for each chunk. Without a total it gets all. It runs on a thread of the
/// package or in the task of the call, and must not block.
public struct ProgressObserver: TransferObserver {
    private let filter: ProgressFilter
    private let handler: @Sendable (TransferProgress) -> Void

    /// Creates an observer.
    /// - Parameter handler: called in order, on the threads of ``TransferObserver``; it must not block.
    public init(_ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.init(handler, clock: .continuous)
    }

    /// - Parameter clock: measures the time between two values.
    package init(_ handler: @escaping @Sendable (TransferProgress) -> Void, clock: AnyMonotonicClock) {
        filter = ProgressFilter(clock: clock)
        self.handler = handler
    }

    /// Calls the closure with the progress of an event, if it has one that differs enough.
    public func transfer(didEmit event: TransferEvent) {
        if let progress = filter.progress(of: event) { handler(progress) }
    }
}

extension TransferObserver where Self == ProgressObserver {
    /// An observer that calls a closure with the progress; see ``ProgressObserver``.
    public static func progress(_ handler: @escaping @Sendable (TransferProgress) -> Void) -> ProgressObserver {
        ProgressObserver(handler)
    }
}
