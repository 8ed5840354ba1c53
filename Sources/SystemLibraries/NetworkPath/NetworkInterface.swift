/// One address of a network interface, or the interface itself.
package struct NetworkInterface: Hashable, Sendable {
    /// True for an interface that is up, has a carrier and is not loopback.
    package var isRunning: Bool
    /// The bytes of its IPv4 or IPv6 address; empty without one.
    package var address: [UInt8]

    package init(isRunning: Bool, address: [UInt8]) {
        self.isRunning = isRunning
        self.address = address
    }

    /// True if packets can leave for another network: not for a link-local address (RFC 3927; RFC 4291, section 2.4).
    var isUsable: Bool {
        guard isRunning else { return false }
        return switch address.count {
        case 4: !address.starts(with: [169, 254]) && address[0] != 0 && address[0] != 127
        case 16: !(address[0] == 0xFE && address[1] & 0xC0 == 0x80) && address.dropLast().contains { $0 != 0 }
        default: false
        }
    }
}

extension NetworkPath {
    /// The path over some interfaces; nil if they are not known.
    package init?(interfaces: [NetworkInterface]?) {
        guard let interfaces else { return nil }
        self.init(isSatisfied: interfaces.contains(where: \.isUsable))
    }
}
