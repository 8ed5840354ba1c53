/// Classifies by a closure, regardless of idempotency.
///
/// Unsafe: the server may act twice on a retried `POST`. Some vendors' clients retried it, and their servers expect
/// that.
public struct UnsafeRetryClassifier: RetryClassifier {
    private let predicate: @Sendable (AttemptResult) -> Bool

    /// A classifier over a closure, which is called on any thread.
    public init(_ predicate: @escaping @Sendable (AttemptResult) -> Bool) { self.predicate = predicate }

    /// The result of the closure.
    public func isRetryable(_ attempt: AttemptResult) -> Bool { predicate(attempt) }
}

extension RetryClassifier where Self == UnsafeRetryClassifier {
    /// Retries any request for which a closure returns true. Unsafe: the server may act twice on a retried `POST`.
    public static func any(where predicate: @escaping @Sendable (AttemptResult) -> Bool) -> UnsafeRetryClassifier {
        UnsafeRetryClassifier(predicate)
    }
}
