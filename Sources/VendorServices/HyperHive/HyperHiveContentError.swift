import Foundation
@_exported public import PatchbayErrors

/// Error of a call that changes the content of a ``HyperHiveService``.
public struct HyperHiveContentError: PatchbayError, Hashable {
    /// The kind of failure.
    public let code: Code
    /// What is wrong, for a developer.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode where Failure == HyperHiveContentError {
    /// The change names an unknown resource, table, column or row, or does not fit the table.
    public static var invalidChange: Self { Self(1) }
}
