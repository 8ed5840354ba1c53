public import HTTPMessages
import ResponseDecoding
import Transport

/// An error with the status of a response.
protocol StatusCarrying {
    var status: HTTPStatus { get }
}

extension Error {
    /// The status of the response that caused this error; nil if there was no response.
    ///
    /// Of the errors of calls, decoding, transfers, downloads and event streams. A `WebSocketError` has its own `head`.
    ///
    /// ```swift
    /// do { try await client.delete("items/7") } catch where error.httpStatus == .notFound {}
    /// ```
    public var httpStatus: HTTPStatus? {
        switch self {
        case let error as any StatusCarrying: error.status
        case let error as ResponseDecodingError: error.status
        case let error as EventSourceError: error.status
        case let error as TransportError: error.head?.status
        case let error as DownloadError: error.head?.status
        default: nil
        }
    }
}
