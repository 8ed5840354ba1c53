import Foundation

extension Error {
    /// True if the call ended because it was cancelled, for an error of any type.
    ///
    /// These are `CancellationError`, Foundation's `URLError.cancelled`, and each error of this package that says so.
    public var isCancellation: Bool {
        switch self {
        case is CancellationError: true
        case let error as URLError: error.code == .cancelled
        case let error as any PatchbayError: error.isCancellation
        default: false
        }
    }
}
