/// The last HTTP/2 connection of each origin: a dictionary from which those that are closed are removed now and then.
struct MultiplexedConnections {
    private static let minimumLimit = 64

    private var byOrigin: [String: SocketTable.ID] = [:]
    /// The number of entries at which the closed ones are removed.
    private var limit = minimumLimit

    var count: Int { byOrigin.count }

    subscript(origin: String) -> SocketTable.ID? { byOrigin[origin] }

    /// Notes the connection of an origin.
    /// - Parameter isOpen: tells whether a connection is open.
    mutating func set(_ connection: SocketTable.ID, of origin: String, isOpen: (SocketTable.ID) -> Bool) {
        byOrigin[origin] = connection
        guard byOrigin.count > limit else { return }
        byOrigin = byOrigin.filter { isOpen($0.value) }
        // Half of the entries are new by then, so that each one is looked at a few times only.
        limit = max(Self.minimumLimit, 2 * byOrigin.count)
    }

    /// Forgets the connection of an origin.
    mutating func remove(_ origin: String) -> SocketTable.ID? { byOrigin.removeValue(forKey: origin) }
}
