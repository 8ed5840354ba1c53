/// An error that tells whether a stream that was lost, or not opened, may be opened again.
package protocol ReconnectableError: Error {
    /// True if another connection may succeed a little later.
    var permitsReconnection: Bool { get }
}

extension HTTPStatus {
    /// True for a status that says nothing about the next request: 408, 429 and 5xx.
    package var isTemporary: Bool { self == .requestTimeout || self == .tooManyRequests || kind == .serverError }
}
