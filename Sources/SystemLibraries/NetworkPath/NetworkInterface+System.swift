#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

extension NetworkInterface {
    /// The addresses of all interfaces (getifaddrs(3)); nil after an error.
    package static func all() -> [NetworkInterface]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).prefix { $0 != nil }.compactMap { entry in
            entry.map { NetworkInterface($0.pointee) }
        }
    }

    private init(_ entry: ifaddrs) {
        // IFF_UP, IFF_LOOPBACK and IFF_RUNNING, equal on Linux and on Apple's systems; their types are not.
        let (up, loopback, running) = (UInt32(0x1), UInt32(0x8), UInt32(0x40))
        let flags = UInt32(truncatingIfNeeded: entry.ifa_flags)
        isRunning = flags & (up | running) == up | running && flags & loopback == 0
        guard let address = entry.ifa_addr else {
            self.address = []
            return
        }
        let bytes = UnsafeRawPointer(address)
        // After the family and the port, an IPv4 address; an IPv6 one comes after its flow information.
        switch CInt(address.pointee.sa_family) {
        case CInt(AF_INET): self.address = (4..<8).map { bytes.load(fromByteOffset: $0, as: UInt8.self) }
        case CInt(AF_INET6): self.address = (8..<24).map { bytes.load(fromByteOffset: $0, as: UInt8.self) }
        default: self.address = []
        }
    }
}
