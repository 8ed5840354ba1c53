import Synchronization
import Transport

/// The transports for requests with connection options of their own, of the last sets of options that were used.
final class TransportTable: Sendable {
    /// Maximum number of transports: an app may renew its certificate again and again.
    static let capacity = 16

    private typealias Entry = (options: SDMSession.ConnectionOptions, transport: AnyTransport)

    /// The least recently used one first.
    private let entries = Mutex<[Entry]>([])

    /// The transport for options, made at their first use. If two threads make one at the same time, one is kept.
    /// - Parameter isKept: called with the lock held; false for a request from before a ``removeAll()``, whose
    ///   certificate is that of the former user.
    func transport(
        for options: SDMSession.ConnectionOptions, isKept: () -> Bool = { true }, make: () throws -> AnyTransport
    ) rethrows -> AnyTransport {
        if let transport = entries.withLock({ Self.use(options, in: &$0) }) { return transport }
        let new = try make()
        // The transport that makes room is released after unlocking: its `deinit` may be code of the app.
        let (transport, removed) = entries.withLock { entries -> (AnyTransport, Entry?) in
            if let transport = Self.use(options, in: &entries) { return (transport, nil) }
            guard isKept() else { return (new, nil) }
            entries.append((options, new))
            return (new, entries.count > Self.capacity ? entries.removeFirst() : nil)
        }
        return withExtendedLifetime(removed) { transport }
    }

    /// Removes all transports, with the certificates in their options. Requests in flight keep theirs.
    func removeAll() {
        let removed = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        withExtendedLifetime(removed) {}
    }

    private static func use(_ options: SDMSession.ConnectionOptions, in entries: inout [Entry]) -> AnyTransport? {
        guard let index = entries.lastIndex(where: { $0.options == options }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.transport
    }
}
