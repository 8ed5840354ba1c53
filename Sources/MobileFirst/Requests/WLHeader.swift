public import PatchbayErrors

/// A header of a ``WLResourceRequest``.
public struct WLHeader: Hashable, Sendable {
    /// The name as it was set.
    public let headerName: String
    /// The value; a secret for names such as `Authorization`.
    public let headerValue: String

    /// Creates a header, for ``WLResourceRequest/headers``.
    public init(headerName: String, headerValue: String) {
        self.headerName = headerName
        self.headerValue = headerValue
    }
}

extension WLHeader: RedactedStringConvertible {
    /// The name; the value may be secret.
    public var description: String { headerName }
}
