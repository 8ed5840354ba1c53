import Foundation

extension Error {
    /// True if the call ended because it was cancelled, for an error of any type.
    ///
    /// These are `CancellationError`, Foundation's `URLError.cancelled`, and the code `cancelled` of each error of this
    /// package.
    public var isCancellation: Bool {
        switch self {
        case is CancellationError: true
        case let error as URLError: error.code == .cancelled
        case let error as any PatchbayError: error.isCancelled
        default: false
        }
    }
}

extension PatchbayError {
    fileprivate var isCancelled: Bool { code.name == "cancelled" }
}
