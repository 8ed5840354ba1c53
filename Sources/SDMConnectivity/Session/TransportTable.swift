import Synchronization
import Transport

/// The transports for requests with connection options of their own; one for each set of options.
final class TransportTable: Sendable {
    private let transports = Mutex<[SDMSession.ConnectionOptions: AnyTransport]>([:])

    /// The transport for options, made at their first use. If two threads make one at the same time, one is kept.
    func transport(
        for options: SDMSession.ConnectionOptions, make: () throws -> AnyTransport
    ) rethrows -> AnyTransport {
        if let transport = transports.withLock({ $0[options] }) { return transport }
        let new = try make()
        return transports.withLock { transports in
            if let transport = transports[options] { return transport }
            transports[options] = new
            return new
        }
    }
}
