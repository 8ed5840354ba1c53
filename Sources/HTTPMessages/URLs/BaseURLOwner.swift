import Synchronization

/// The client to whose origin credentials at ``AllowedOrigins/baseURL`` belong: the first one made over their layer.
///
/// Not the first one that sends a request: otherwise the order of calls would choose the server that gets them.
package final class BaseURLOwner: Sendable {
    private let first = Mutex<Origin?>(nil)

    package init() {}

    /// The origin of the client; nil as long as there is none.
    package var origin: Origin? { first.withLock { $0 } }

    /// Gives the credentials to the client of an origin, unless they belong to another one.
    package func claim(_ origin: Origin) { first.withLock { $0 = $0 ?? origin } }
}

/// A transport with credentials at ``AllowedOrigins/baseURL``.
package protocol BaseURLClaiming {
    /// Gives the credentials to the client that is made over this transport.
    func claimBaseURL(_ origin: Origin)
}
