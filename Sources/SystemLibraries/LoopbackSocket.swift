package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Calls for TCP sockets on 127.0.0.1 and ::1 whose structures and constants depend on the platform.
package enum LoopbackSocket {
    package enum Direction: Sendable { case receiving, sending, both }
    package enum Family: Sendable, CaseIterable { case ipv4, ipv6 }

    /// Opens a socket and binds it to a port; 0 picks a free one.
    /// - Parameter isPicked: true for a port that was picked for the other family.
    /// - Returns: the descriptor, which the caller must close, and the port.
    /// - Throws: `POSIXError`; `EADDRNOTAVAIL` or `EAFNOSUPPORT` on a machine without the family.
    package static func bound(
        to port: UInt16, _ family: Family = .ipv4, isPicked: Bool = false
    ) throws(POSIXError) -> (descriptor: CInt, port: UInt16) {
        let descriptor = try opened(family)
        // A given port may still have connections in TIME_WAIT; a picked one must not be shared.
        set(SOL_SOCKET, SO_REUSEADDR, CInt(port == 0 || isPicked ? 0 : 1), of: descriptor)
        var (address, length) = address(port, family)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw closing(descriptor) }
        // The port has the same place in both structures.
        let bound = withUnsafeBytes(of: address) { $0.load(as: sockaddr_in.self).sin_port }
        return (descriptor, UInt16(bigEndian: bound))
    }

    /// Opens a socket and connects it to a port.
    /// - Returns: the descriptor, which the caller must close.
    /// - Throws: `POSIXError`.
    package static func connected(to port: UInt16, _ family: Family = .ipv4) throws(POSIXError) -> CInt {
        let descriptor = try opened(family)
        let (address, length) = address(port, family)
        let isConnected = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
        guard isConnected else { throw closing(descriptor) }
        return descriptor
    }

    private static func opened(_ family: Family) throws(POSIXError) -> CInt {
        let descriptor = socket(family == .ipv4 ? AF_INET : AF_INET6, cInt(SOCK_STREAM), 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        BrokenPipeSignal.turnOff(forSocket: descriptor)
        return descriptor
    }

    /// Closes a descriptor, and returns the error before that.
    private static func closing(_ descriptor: CInt) -> POSIXError {
        let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        close(descriptor)
        return error
    }

    private static func address(_ port: UInt16, _ family: Family) -> (sockaddr_storage, socklen_t) {
        var storage = sockaddr_storage()
        func store<Address>(_ address: Address) -> (sockaddr_storage, socklen_t) {
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: Address.self) }
            return (storage, socklen_t(MemoryLayout<Address>.size))
        }
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return store(address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            return store(address)
        }
    }

    /// Sends small writes at once (TCP_NODELAY).
    package static func sendAtOnce(_ descriptor: CInt) { set(cInt(IPPROTO_TCP), TCP_NODELAY, CInt(1), of: descriptor) }

    /// Limits how long a call blocks, which then fails with `EAGAIN`.
    package static func setTimeout(_ direction: Direction, seconds: Int, milliseconds: Int = 0, of descriptor: CInt) {
        let timeout = timeval(tv_sec: .init(seconds), tv_usec: .init(milliseconds * 1000))
        if direction != .sending { set(SOL_SOCKET, SO_RCVTIMEO, timeout, of: descriptor) }
        if direction != .receiving { set(SOL_SOCKET, SO_SNDTIMEO, timeout, of: descriptor) }
    }

    /// Makes closing the socket send a reset instead of a FIN.
    package static func resetWhenClosed(_ descriptor: CInt) {
        set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0), of: descriptor)
    }

    /// Ends a direction of the connection, which also unblocks other threads.
    package static func shutDown(_ direction: Direction, of descriptor: CInt) {
        switch direction {
        case .receiving: _ = shutdown(descriptor, cInt(SHUT_RD))
        case .sending: _ = shutdown(descriptor, cInt(SHUT_WR))
        case .both: _ = shutdown(descriptor, cInt(SHUT_RDWR))
        }
    }

    /// Blocks until a descriptor can be read, or for some milliseconds; -1 for no limit.
    /// - Returns: the descriptors that can be read or have failed; nil after an error.
    package static func readable(_ descriptors: [CInt], milliseconds: CInt) -> [CInt]? {
        var events = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&events, nfds_t(events.count), milliseconds) >= 0 else { return errno == EINTR ? [] : nil }
        return events.filter { $0.revents != 0 }.map(\.fd)
    }

    private static func set<Value: BitwiseCopyable>(_ level: CInt, _ name: CInt, _ value: Value, of descriptor: CInt) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
        }
    }
}

// The types of socket constants differ between platforms; these overloads convert all of them.
private func cInt(_ value: Int32) -> CInt { value }
private func cInt(_ value: Int) -> CInt { CInt(truncatingIfNeeded: value) }
private func cInt(_ value: some RawRepresentable<UInt32>) -> CInt { CInt(bitPattern: value.rawValue) }
