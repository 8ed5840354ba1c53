/// A change of a transfer's progress, for a progress delegate.
///
/// The announcements of a transfer add up to its total, and so do the bytes of one that finishes.
package enum ProgressChange: Hashable, Sendable {
    /// The total grows by this number of bytes; negative if it shrinks.
    case announce(Int64)
    /// This number of bytes was transferred; negative if progress is taken back, as before a retry.
    case bytes(Int64)
    /// The completed fraction, 0 to 1.
    case fraction(Double)
}

extension [ProgressChange] {
    /// The changes for a delegate that is not to be reset: without announcements, and without fractions of zero.
    package func withoutResets() -> [ProgressChange] {
        filter { change in
            switch change {
            case .announce, .fraction(0): false
            case .bytes, .fraction: true
            }
        }
    }
}
