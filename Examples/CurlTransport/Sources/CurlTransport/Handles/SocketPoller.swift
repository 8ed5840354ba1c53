import CCurl
import Glibc

/// A poller (`epoll`) for the sockets of libcurl and the wakeup of the event thread: a ``SocketTable`` and its actions.
///
/// Only the event thread uses it. It must outlive libcurl's connections, which tell it when they close a socket.
final class SocketPoller {
    private let poller: CInt
    private let ready: UnsafeMutableBufferPointer<ccurl_readiness>
    private var table = SocketTable()
    private var held = HeldSockets()
    /// The socket for which libcurl was called, -1 for its timer, and the TLS records that it has received since.
    private var turn: (descriptor: CInt, records: Int) = (-1, 0)
    /// The number of parts of records that libcurl reads from a connection in a round. A record has at most 16 KiB, and
    /// in TLS 1.3 two parts: its header, and a byte with the type of its content.
    private static let maximumRecords = 64
    /// The system's error if the last socket could not be opened for lack of descriptors; else 0.
    private(set) var lastError: CInt = 0

    /// Returns nil when the process has no descriptors left.
    init?() {
        poller = ccurl_make_poller()
        guard poller >= 0 else { return nil }
        ready = .allocate(capacity: 64)
    }

    deinit {
        held.forgetAll()
        close(poller)
        ready.deallocate()
    }

    /// True when connections wait for the next round.
    var hasHeld: Bool { held.hasReady }

    /// True when a connection has no request.
    var hasIdle: Bool { table.idleCount > 0 }

    /// Watches the descriptor that wakes the loop.
    func watch(_ wakeup: Wakeup) { _ = ccurl_watch(poller, wakeup.descriptor, SocketTable.reading, 1) }

    /// Watches a socket for a transfer.
    /// - Parameter interest: `CURL_POLL_IN`, `..._OUT`, `..._INOUT` or `..._REMOVE`.
    func watch(_ descriptor: CInt, _ interest: CInt, for handle: EasyHandle?) {
        guard interest <= 3 else { return apply(table.release(descriptor), descriptor) }
        handle?.descriptor = descriptor
        apply(table.claim(descriptor, interest: interest, owner: handle.identity), descriptor)
    }

    /// Watches a connection without HTTP for what it waits for.
    func watch(_ socket: ConnectedSocket) {
        apply(
            table.claim(socket.descriptor, interest: socket.interest, owner: Optional(socket.handle).identity),
            socket.descriptor)
    }

    /// Notes that a transfer has ended, and that its HTTP/1 connection may be used again.
    func setIdle(after handle: EasyHandle) {
        let descriptor =
            table.isReleased(handle.descriptor, by: Optional(handle).identity)
            ? handle.descriptor : handle.openDescriptor
        if held.contains(descriptor) {
            // Bytes that arrive on it must be noticed before it gets the next request.
            beginRound()
            guard !held.contains(descriptor) else {
                table.forget(descriptor)
                _ = replaceByDead(descriptor)
                return
            }
        }
        apply(table.setIdle(descriptor, sent: ccurl_sent_segments(descriptor)), descriptor)
    }

    /// Ends a connection, whose socket stays open for libcurl.
    ///
    /// libcurl finds the end at the next use, or at once if transfers use the connection.
    func retire(_ connection: SocketTable.ID) {
        let descriptor = connection.descriptor
        // Its descriptor may be that of another connection, or of a file of the app.
        guard isOpen(connection) else { return }
        let isClaimed = table.phase(of: descriptor) == .claimed
        table.forget(descriptor)
        guard replaceByDead(descriptor), isClaimed else { return }
        apply(table.claim(descriptor, interest: SocketTable.reading, owner: 0), descriptor)
    }

    private func replaceByDead(_ descriptor: CInt) -> Bool {
        held.forget(descriptor)
        return ccurl_retire(descriptor) >= 0
    }

    /// Notes that libcurl is called for a socket, or for its timer (-1).
    func beginTurn(_ descriptor: CInt) { turn = (descriptor, 0) }

    /// Counts a TLS record that libcurl has received, and ends its turn with the connection after many.
    func recordReceived(for handle: EasyHandle) {
        turn.records += 1
        guard turn.records >= Self.maximumRecords else { return }
        let descriptor = turn.descriptor >= 0 ? turn.descriptor : handle.probableDescriptor
        guard table.connection(of: descriptor) != nil, !held.contains(descriptor) else { return }
        let interest = table.interest(in: descriptor)
        if interest != 0 { _ = ccurl_watch(poller, descriptor, 0, 0) }
        if !held.hold(descriptor), interest != 0 { _ = ccurl_watch(poller, descriptor, interest, 1) }
    }

    /// Lets libcurl read again from the connections whose turn has ended.
    func beginRound() {
        guard held.hasReady else { return }
        let (free, blocked) = held.release()
        for descriptor in free {
            let interest = table.interest(in: descriptor)
            if interest != 0 { _ = ccurl_watch(poller, descriptor, interest, 1) }
        }
        for original in blocked { _ = ccurl_watch(poller, original, 2, 1) }
    }

    /// The connection of a transfer, if it was the first to use it.
    func connection(of handle: EasyHandle) -> SocketTable.ID? { table.connection(of: handle.descriptor) }

    /// True until the connection is closed.
    func isOpen(_ connection: SocketTable.ID) -> Bool { table.connection(of: connection.descriptor) == connection }

    /// Opens a socket for libcurl.
    /// - Returns: -1 on failure, see ``lastError``.
    func openSocket(family: CInt, type: CInt, protocol number: CInt) -> CInt {
        let descriptor = ccurl_open_socket(family, type, number)
        lastError = descriptor < 0 && (errno == EMFILE || errno == ENFILE) ? errno : 0
        table.open(descriptor)
        return descriptor
    }

    /// Closes a socket for libcurl.
    func closeSocket(_ descriptor: CInt) -> CInt {
        held.forget(descriptor)
        table.close(descriptor)
        return close(descriptor)
    }

    private func apply(_ change: SocketTable.Change, _ descriptor: CInt) {
        // The poller gets the interest in a held socket with its return.
        guard !held.contains(descriptor) else { return }
        switch change {
        case .none: break
        case .add(let interest): _ = ccurl_watch(poller, descriptor, interest, 1)
        case .modify(let interest): _ = ccurl_watch(poller, descriptor, interest, 0)
        case .remove: _ = ccurl_watch(poller, descriptor, 0, 0)
        }
    }

    /// Waits for sockets or the wakeup of the mailbox.
    /// - Parameter act: handles a socket for which transfers wait, and the mask of its readiness.
    /// - Returns: true if there was any.
    func wait(_ mailbox: Mailbox, milliseconds: Int, act: (CInt, CInt) -> Void) -> Bool {
        let found = ccurl_wait(poller, ready.baseAddress, CInt(ready.count), CInt(clamping: milliseconds))
        guard found > 0 else { return false }
        mailbox.awake()
        // The idle connections first: libcurl may start any request when it is called, and must not use one of those
        // that have bytes to read.
        for index in 0..<Int(found) {
            let descriptor = ready[index].descriptor
            if descriptor == mailbox.wakeup.descriptor {
                mailbox.wakeup.reset()
                ready[index].mask = 0
            } else if held.unblock(descriptor) {
                _ = ccurl_watch(poller, descriptor, 0, 0)
                ready[index].mask = 0
            } else if table.phase(of: descriptor) == .idle {
                handle(descriptor, ready[index].mask, act)
                ready[index].mask = 0
            }
        }
        for index in 0..<Int(found) where ready[index].mask != 0 {
            handle(ready[index].descriptor, ready[index].mask, act)
        }
        return true
    }

    private func handle(_ descriptor: CInt, _ mask: CInt, _ act: (CInt, CInt) -> Void) {
        switch table.ready(descriptor, sent: ccurl_sent_segments(descriptor)) {
        case .act: act(descriptor, mask)
        case .ignore: _ = ccurl_watch(poller, descriptor, 0, 0)
        case .retire: _ = replaceByDead(descriptor)
        }
    }
}

extension EasyHandle? {
    /// A number that differs from those of other handles.
    fileprivate var identity: UInt { map { UInt(bitPattern: $0.pointer) } ?? 0 }
}
