import CCurl
import Glibc

/// A poller (`epoll`) for the sockets of libcurl and the wakeup of the event thread: a ``SocketTable`` and its actions.
///
/// Only the event thread uses it. It must outlive libcurl's connections, which tell it when they close a socket.
final class SocketPoller {
    private let poller: CInt
    private let ready: UnsafeMutableBufferPointer<ccurl_readiness>
    private var table = SocketTable()
    /// The system's error if the last socket could not be opened for lack of descriptors; else 0.
    private(set) var lastError: CInt = 0

    /// Returns nil when the process has no descriptors left.
    init?() {
        poller = ccurl_make_poller()
        guard poller >= 0 else { return nil }
        ready = .allocate(capacity: 64)
    }

    deinit {
        close(poller)
        ready.deallocate()
    }

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

    /// Notes that a transfer has ended, and that its HTTP/1 connection may be used again.
    func setIdle(after handle: EasyHandle) {
        let descriptor =
            table.isReleased(handle.descriptor, by: Optional(handle).identity)
            ? handle.descriptor : handle.openDescriptor
        apply(table.setIdle(descriptor, sent: ccurl_sent_segments(descriptor)), descriptor)
    }

    /// Ends a connection, whose socket stays open for libcurl.
    ///
    /// libcurl finds the end at the next use, or at once if transfers use the connection.
    func retire(_ connection: SocketTable.ID) {
        let descriptor = connection.descriptor
        // Its descriptor may be that of another connection, or of a file of the app.
        guard table.connection(of: descriptor) == connection else { return }
        let isClaimed = table.phase(of: descriptor) == .claimed
        table.forget(descriptor)
        guard ccurl_retire(descriptor) >= 0, isClaimed else { return }
        apply(table.claim(descriptor, interest: SocketTable.reading, owner: 0), descriptor)
    }

    /// The connection of a transfer, if it was the first to use it.
    func connection(of handle: EasyHandle) -> SocketTable.ID? { table.connection(of: handle.descriptor) }

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
        table.close(descriptor)
        return close(descriptor)
    }

    private func apply(_ change: SocketTable.Change, _ descriptor: CInt) {
        switch change {
        case .none: break
        case .add(let interest): _ = ccurl_watch(poller, descriptor, interest, 1)
        case .modify(let interest): _ = ccurl_watch(poller, descriptor, interest, 0)
        case .remove: _ = ccurl_watch(poller, descriptor, 0, 0)
        }
    }

    /// Waits for sockets or the wakeup.
    /// - Parameter act: handles a socket for which transfers wait, and the mask of its readiness.
    /// - Returns: true if there was any.
    func wait(_ wakeup: Wakeup, milliseconds: Int, act: (CInt, CInt) -> Void) -> Bool {
        let found = ccurl_wait(poller, ready.baseAddress, CInt(ready.count), CInt(clamping: milliseconds))
        for index in 0..<Int(found) {
            let descriptor = ready[index].descriptor
            if descriptor == wakeup.descriptor {
                wakeup.reset()
                continue
            }
            switch table.ready(descriptor, sent: ccurl_sent_segments(descriptor)) {
            case .act: act(descriptor, ready[index].mask)
            case .ignore: _ = ccurl_watch(poller, descriptor, 0, 0)
            case .retire: _ = ccurl_retire(descriptor)
            }
        }
        return found > 0
    }
}

extension EasyHandle? {
    /// A number that differs from those of other handles.
    fileprivate var identity: UInt { map { UInt(bitPattern: $0.pointer) } ?? 0 }
}
