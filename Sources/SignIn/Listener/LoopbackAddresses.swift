import Foundation
import SystemLibraries

/// The listening sockets of this machine's own addresses, at one port.
struct LoopbackAddresses {
    /// Binds a port of one family, as `LoopbackSocket` does.
    typealias Bind = (UInt16, LoopbackSocket.Family, _ isPicked: Bool) throws(POSIXError) -> (
        descriptor: CInt, port: UInt16
    )

    let descriptors: [CInt]
    let port: UInt16
    /// The host of the redirect URI: 127.0.0.1, or ::1 in brackets for a picked port on a machine without it.
    let host: String

    /// Binds and listens; the caller must close the descriptors.
    ///
    /// A server that knows a port also knows the host, so a given port is not replaced by that of ::1.
    /// - Throws: `POSIXError` of 127.0.0.1.
    init(
        port: UInt16,
        bind: Bind = { port, family, isPicked throws(POSIXError) in
            try LoopbackSocket.bound(to: port, family, isPicked: isPicked)
        }
    ) throws(POSIXError) {
        do throws(POSIXError) {
            let first = try Self.listening(bind(port, .ipv4, false))
            let second = try? Self.listening(bind(first.port, .ipv6, port == 0))
            descriptors = [first.descriptor] + (second.map { [$0.descriptor] } ?? [])
            (self.port, host) = (first.port, "127.0.0.1")
        } catch {
            guard port == 0, [.EADDRNOTAVAIL, .EAFNOSUPPORT, .EPROTONOSUPPORT].contains(error.code),
                let only = try? Self.listening(bind(0, .ipv6, false))
            else { throw error }
            (descriptors, self.port, host) = ([only.descriptor], only.port, "[::1]")
        }
    }

    private static func listening(
        _ bound: (descriptor: CInt, port: UInt16)
    ) throws(POSIXError) -> (descriptor: CInt, port: UInt16) {
        guard listen(bound.descriptor, 16) == 0 else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            _ = close(bound.descriptor)
            throw error
        }
        // A client may disconnect between poll and accept, which must not block until the next one.
        _ = fcntl(bound.descriptor, F_SETFL, fcntl(bound.descriptor, F_GETFL, 0) | O_NONBLOCK)
        return bound
    }
}
