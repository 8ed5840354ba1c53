/// An error that tells whether a stream that was lost, or not opened, may be opened again.
package protocol ReconnectableError: Error {
    /// True if another connection may succeed a little later.
    var permitsReconnection: Bool { get }
}
