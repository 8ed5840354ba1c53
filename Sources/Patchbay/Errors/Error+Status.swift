public import HTTPMessages
import PatchbayErrors

extension Error {
    /// The status of the response that caused this error; nil if there was no response.
    ///
    /// ```swift
    /// do { try await client.delete("items/7") } catch where error.httpStatus == .notFound {}
    /// ```
    ///
    /// It is that of each `HTTPStatusError`, and of errors of transports, downloads, uploads, credentials, signatures,
    /// refused requests, event streams and WebSockets that came with a response. Any other error of this package, such
    /// as `DeltaError`, has that of its `underlying`.
    public var httpStatus: HTTPStatus? {
        let own: HTTPStatus? =
            switch self {
            case let error as any HTTPStatusError: error.status
            case let error as any StatusCarrying: error.responseStatus
            default: nil
            }
        return own ?? (self as? any PatchbayError)?.underlying?.httpStatus
    }
}
