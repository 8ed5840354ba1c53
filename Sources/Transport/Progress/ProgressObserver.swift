/// A transfer observer that calls a closure with the progress.
///
/// ```swift
/// let file = try await transport.download(request, to: url, observer: .progress { print($0.fraction ?? 0) })
/// ```
public struct ProgressObserver: TransferObserver {
    private let handler: @Sendable (TransferProgress) -> Void

    /// Creates an observer.
    /// - Parameter handler: called in order, on the threads of ``TransferObserver``; it must not block.
    public init(_ handler: @escaping @Sendable (TransferProgress) -> Void) { self.handler = handler }

    /// Calls the closure with the progress of an event, if it has one.
    public func transfer(didEmit event: TransferEvent) {
        if let progress = TransferProgress(event) { handler(progress) }
    }
}

extension TransferObserver where Self == ProgressObserver {
    /// An observer that calls a closure with the progress; see ``ProgressObserver``.
    public static func progress(_ handler: @escaping @Sendable (TransferProgress) -> Void) -> ProgressObserver {
        ProgressObserver(handler)
    }
}
