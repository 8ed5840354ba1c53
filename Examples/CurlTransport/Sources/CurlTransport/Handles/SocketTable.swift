/// The sockets of libcurl's connections, by descriptor: what is watched, and what readiness means.
///
/// A byte on the socket of an idle HTTP/1 connection is one that no request has asked for, or its end. Reused, such a
/// connection would give the bytes to the next request as its response. HTTP/2 assigns its frames to requests, so those
/// connections are not idle here.
///
/// ```
/// unknown          -open->     released
/// any              -claim->    claimed
/// claimed          -release->  released   (the transfer has paused or ended); unknown for libcurl's other sockets
/// released, idle   -idle->     idle
/// claimed          -ready->    claimed    (act)
/// released         -ready->    released   (ignore, and watch no longer)
/// idle             -ready->    released   (retire; ignore if a request was sent since)
/// any              -close->    unknown
/// ```
struct SocketTable {
    enum Phase: Hashable {
        case unknown
        case claimed
        case released
        case idle
    }
    /// A change of the poller's interest.
    enum Change: Hashable {
        case none
        case add(CInt)
        case modify(CInt)
        case remove
    }
    enum Readiness: Hashable {
        /// A transfer waits for it.
        case act
        /// No transfer waits for it; it is not watched any longer.
        case ignore
        /// The connection must not be used again.
        case retire
    }

    fileprivate struct Entry {
        var phase = Phase.unknown
        /// The interest that the poller knows; 0 for none.
        var watched: CInt = 0
        /// Identifies the transfer that has claimed the socket.
        var owner: UInt = 0
        /// The segments that an idle connection has sent.
        var sent: UInt32 = 0
        /// The number of the connection.
        var serial = 0
        /// True for a connection, whose end is announced by ``SocketTable/close(_:)``. libcurl also has sockets of its
        /// own, for name resolution.
        var isConnection = false
    }

    static let reading: CInt = 1

    /// A connection, also after its descriptor has become that of another one.
    struct ID: Hashable {
        let descriptor: CInt
        fileprivate let serial: Int
    }

    private var entries: [Entry] = []
    /// The number of connections so far.
    private var count = 0
    private(set) var idleCount = 0

    /// Notes a new connection.
    mutating func open(_ descriptor: CInt) {
        guard descriptor >= 0 else { return }
        reserve(descriptor)
        count += 1
        update(descriptor) { [count] in $0 = Entry(phase: .released, serial: count, isConnection: true) }
    }

    /// Notes that a transfer waits for a socket.
    mutating func claim(_ descriptor: CInt, interest: CInt, owner: UInt) -> Change {
        guard descriptor >= 0 else { return .none }
        reserve(descriptor)
        return update(descriptor) { entry in
            entry.phase = .claimed
            entry.owner = owner
            return entry.watch(interest)
        }
    }

    /// Notes that no transfer waits for a socket. A connection stays watched, since the next transfer often follows.
    mutating func release(_ descriptor: CInt) -> Change {
        guard phase(of: descriptor) == .claimed else { return .none }
        guard entries[Int(descriptor)].isConnection else {
            update(descriptor) { $0 = Entry() }
            return .remove
        }
        entries[Int(descriptor)].phase = .released
        return .none
    }

    /// True if this transfer was the last to claim the socket, and has released it.
    func isReleased(_ descriptor: CInt, by owner: UInt) -> Bool {
        phase(of: descriptor) == .released && entries[Int(descriptor)].owner == owner
    }

    /// Notes that the connection of a socket is open and without a request.
    /// - Parameter sent: the number of segments that it has sent; 0 if it is unknown, then it is not idle.
    mutating func setIdle(_ descriptor: CInt, sent: UInt32) -> Change {
        let phase = phase(of: descriptor)
        guard phase == .released || phase == .idle, sent > 0 else { return .none }
        return update(descriptor) { entry in
            entry.phase = .idle
            entry.sent = sent
            return entry.watch(Self.reading)
        }
    }

    /// Returns what the readiness of a socket means. Unless a transfer waits for it, it is not watched afterwards.
    /// - Parameter sent: the number of segments that it has sent. libcurl does not announce a transfer that is paused
    ///   before it has waited for its response.
    mutating func ready(_ descriptor: CInt, sent: @autoclosure () -> UInt32) -> Readiness {
        let phase = phase(of: descriptor)
        guard phase != .claimed else { return .act }
        guard phase == .idle else {
            if phase == .released { forget(descriptor) }
            return .ignore
        }
        let isUnused = entries[Int(descriptor)].sent == sent()
        forget(descriptor)
        return isUnused ? .retire : .ignore
    }

    /// The interest of the poller in a socket; 0 for none.
    func interest(in descriptor: CInt) -> CInt {
        phase(of: descriptor) == .unknown ? 0 : entries[Int(descriptor)].watched
    }

    /// The connection of a descriptor.
    func connection(of descriptor: CInt) -> ID? {
        guard phase(of: descriptor) != .unknown, entries[Int(descriptor)].isConnection else { return nil }
        return ID(descriptor: descriptor, serial: entries[Int(descriptor)].serial)
    }

    /// Notes that the poller watches a connection no longer.
    mutating func forget(_ descriptor: CInt) {
        guard phase(of: descriptor) != .unknown else { return }
        update(descriptor) { entry in
            entry.phase = .released
            entry.watched = 0
        }
    }

    /// Notes that a descriptor is closed.
    mutating func close(_ descriptor: CInt) {
        guard phase(of: descriptor) != .unknown else { return }
        update(descriptor) { $0 = Entry() }
    }

    func phase(of descriptor: CInt) -> Phase {
        descriptor >= 0 && descriptor < entries.count ? entries[Int(descriptor)].phase : .unknown
    }

    private mutating func reserve(_ descriptor: CInt) {
        while entries.count <= descriptor { entries.append(Entry()) }
    }

    @discardableResult
    private mutating func update<Result>(_ descriptor: CInt, _ change: (inout Entry) -> Result) -> Result {
        let index = Int(descriptor)
        idleCount -= entries[index].phase == .idle ? 1 : 0
        defer { idleCount += entries[index].phase == .idle ? 1 : 0 }
        return change(&entries[index])
    }
}

extension SocketTable.Entry {
    fileprivate mutating func watch(_ interest: CInt) -> SocketTable.Change {
        guard interest != watched else { return .none }
        defer { watched = interest }
        return watched == 0 ? .add(interest) : .modify(interest)
    }
}
