import CCurl
import Glibc

/// Sockets that libcurl must not read for the rest of a round: another one is in their place, without bytes to read.
///
/// libcurl has no limit to what it reads from a socket in one call, and frames of HTTP/2 without content reach no
/// callback that could pause their transfer. What it writes meanwhile is sent when the socket returns to its place.
///
/// ```
/// free    -hold->       held
/// held    -release->    free      (all that was written is sent)
/// held    -release->    blocked   (the server does not read)
/// blocked -unblock->    held      (it reads again)
/// any     -forget->     free      (the connection is closed)
/// ```
struct HeldSockets {
    private struct Held {
        /// Another descriptor of the socket.
        let original: CInt
        /// The other end of the socket in its place.
        let peer: CInt
        var isBlocked = false
    }

    private var sockets: [CInt: Held] = [:]

    /// True if ``release()`` may return a socket.
    var hasReady: Bool { !sockets.isEmpty && sockets.values.contains { !$0.isBlocked } }

    func contains(_ descriptor: CInt) -> Bool { !sockets.isEmpty && sockets[descriptor] != nil }

    /// Holds a socket; the poller must not watch it.
    /// - Returns: false when the process has no descriptors left.
    mutating func hold(_ descriptor: CInt) -> Bool {
        var peer: CInt = -1
        let original = ccurl_hold(descriptor, &peer)
        if original >= 0 { sockets[descriptor] = Held(original: original, peer: peer) }
        return original >= 0
    }

    /// Puts sockets back to which all could be sent.
    /// - Returns: their descriptors, and other descriptors of those that are blocked now, to wait until they can be
    ///   written to.
    mutating func release() -> (free: [CInt], blocked: [CInt]) {
        var result: (free: [CInt], blocked: [CInt]) = ([], [])
        for (descriptor, socket) in sockets where !socket.isBlocked {
            if ccurl_forward(socket.peer, socket.original) != 0 {
                ccurl_put_back(descriptor, socket.original)
                close(socket.peer)
                sockets[descriptor] = nil
                result.free.append(descriptor)
            } else {
                sockets[descriptor]?.isBlocked = true
                result.blocked.append(socket.original)
            }
        }
        return result
    }

    /// Notes that a blocked socket can be written to.
    /// - Parameter original: as of ``release()``.
    /// - Returns: false for another descriptor.
    mutating func unblock(_ original: CInt) -> Bool {
        guard let entry = sockets.first(where: { $0.value.isBlocked && $0.value.original == original }) else {
            return false
        }
        sockets[entry.key]?.isBlocked = false
        return true
    }

    /// Closes a held socket; the one in its place finds an end.
    mutating func forget(_ descriptor: CInt) {
        guard !sockets.isEmpty, let socket = sockets.removeValue(forKey: descriptor) else { return }
        close(socket.original)
        close(socket.peer)
    }

    mutating func forgetAll() {
        for descriptor in Array(sockets.keys) { forget(descriptor) }
    }
}
