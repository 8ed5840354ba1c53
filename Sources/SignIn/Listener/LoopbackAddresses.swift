import Foundation
import SystemLibraries

/// The listening sockets of this machine's own addresses, at one port.
struct LoopbackAddresses {
    /// Binds a port of one family, as `LoopbackSocket` does.
    typealias Bind = (UInt16, LoopbackSocket.Family) throws(POSIXError) -> (descriptor: CInt, port: UInt16)

    let descriptors: [CInt]
    let port: UInt16
    /// The host of the redirect URI: 127.0.0.1, or ::1 in brackets on a machine without it.
    let host: String

    /// Binds and listens; the caller must close the descriptors.
    /// - Throws: `POSIXError` of 127.0.0.1, or of ::1 if the machine has no IPv4.
    init(port: UInt16, bind: Bind = { port, family throws(POSIXError) in try LoopbackSocket.bound(to: port, family) })
        throws(POSIXError)
    {
        do throws(POSIXError) {
            let first = try Self.listening(port, .ipv4, bind)
            let second = try? Self.listening(first.port, .ipv6, bind)
            descriptors = [first.descriptor] + (second.map { [$0.descriptor] } ?? [])
            (self.port, host) = (first.port, "127.0.0.1")
        } catch {
            guard [.EADDRNOTAVAIL, .EAFNOSUPPORT, .EPROTONOSUPPORT].contains(error.code) else { throw error }
            let only = try Self.listening(port, .ipv6, bind)
            (descriptors, self.port, host) = ([only.descriptor], only.port, "[::1]")
        }
    }

    private static func listening(
        _ port: UInt16, _ family: LoopbackSocket.Family, _ bind: Bind
    ) throws(POSIXError) -> (descriptor: CInt, port: UInt16) {
        let bound = try bind(port, family)
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
