#if !canImport(Darwin)
    #if canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #else
        import Glibc
    #endif

    /// Waits for changes of the network by a netlink socket (rtnetlink(7)).
    ///
    /// The messages themselves are not read: any of them, also the error of lost ones, makes the watch read the list of
    /// interfaces again (getifaddrs(3)).
    package final class NetworkPathWatch: Sendable {
        private let socket: CInt
        private let wakeUpRead: CInt
        private let wakeUpWrite: CInt

        /// Opens the socket; nil where the kernel refuses it, or the process is out of file descriptors.
        package init?() {
            // The numbers of linux/netlink.h and linux/rtnetlink.h, which the C library's module does not have, and
            // SOCK_RAW, which has another type in each C library.
            let (netlink, raw, route) = (CInt(16), CInt(3), CInt(0))
            let groups: UInt32 = 0x1 | 0x10 | 0x100  // RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR
            let socket = systemSocket(netlink, raw, route)
            guard socket >= 0 else { return nil }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            // struct sockaddr_nl: family, padding, port (0: the kernel chooses one), groups.
            var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(netlink), 0, 0, groups)
            let isBound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<(UInt16, UInt16, UInt32, UInt32)>.size)) == 0
                }
            }
            var ends: [CInt] = [-1, -1]
            guard isBound, pipe(&ends) == 0 else {
                close(socket)
                return nil
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.socket = socket
            (wakeUpRead, wakeUpWrite) = (ends[0], ends[1])
        }

        deinit {
            close(socket)
            close(wakeUpRead)
            close(wakeUpWrite)
        }

        /// The state now; nil if it cannot be read.
        package var path: NetworkPath? { NetworkPath(interfaces: NetworkInterface.all()) }

        /// Blocks until the network may have changed.
        /// - Returns: its state then, nil inside if it cannot be read; nil after ``stop()``.
        package func next() -> NetworkPath?? {
            var waits = [socket, wakeUpRead].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while poll(&waits, nfds_t(waits.count), -1) < 0 {
                // After any other error no change would ever be seen.
                guard errno == EINTR else { return nil }
            }
            guard waits[1].revents == 0 else { return nil }
            // Reads all messages that have arrived. ENOBUFS, for lost ones, is a change like any other.
            var bytes = [UInt8](repeating: 0, count: 16_384)
            while read(socket, &bytes, bytes.count) > 0 {}
            return .some(path)
        }

        /// Ends the current and all later calls of ``next()``.
        package func stop() {
            var byte: UInt8 = 1
            _ = write(wakeUpWrite, &byte, 1)
        }
    }

    // Outside of the class, where the C function is not shadowed.
    private func systemSocket(_ domain: CInt, _ type: CInt, _ protocol: CInt) -> CInt {
        socket(domain, type, `protocol`)
    }
#endif
