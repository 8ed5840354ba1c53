import CCurl
import Transport

/// A multi handle of libcurl with its share of TLS sessions and its easy handles.
///
/// Only the event thread uses it.
final class MultiHandle {
    private let pointer: CurlLibrary.Handle
    /// The share of TLS sessions; needs no locks, because one thread uses it.
    private let share: CurlLibrary.Handle?
    private let template: EasyHandle
    /// The template for requests without TLS, also to proxies.
    private let plainTemplate: EasyHandle
    private let library: CurlLibrary
    /// Unused easy handles, to be used again.
    private var idle: [EasyHandle] = []
    /// Handles whose transfers have ended, and which must not be used again, to be renewed.
    private var spent: [EasyHandle] = []
    /// The number of easy handles in the multi handle.
    private(set) var count = 0

    /// The time of libcurl's next timer.
    private var timer: ContinuousClock.Instant?
    private let sockets: SocketPoller

    /// Connections without HTTP.
    private(set) var connected = ConnectedSockets()
    /// Those that receive in the next round: the new ones, and those that have used up their share of the last one.
    private var yielding: [Call.ID: ConnectedSocket] = [:]
    /// Those that are closed, and have bytes to send, in the order of their deadlines.
    private var closing: [(socket: ConnectedSocket, deadline: ContinuousClock.Instant)] = []
    /// Memory for the bytes that they receive.
    private var buffer: UnsafeMutableRawBufferPointer?

    private static let maximumIdle = 64
    /// The time in which the network has to take the last bytes of a connection that is closed.
    private static let lingering = Duration.seconds(10)

    init?(_ library: CurlLibrary, _ options: CurlTransport.NetworkOptions, maximumConnections: Int) {
        guard let sockets = SocketPoller(), let template = EasyHandle(library, sockets: sockets),
            let plainTemplate = EasyHandle(library, sockets: sockets), let pointer = library.multiInit()
        else { return nil }
        template.apply(options)
        plainTemplate.apply(options)
        plainTemplate.omitTrust()
        self.template = template
        self.plainTemplate = plainTemplate
        self.library = library
        self.sockets = sockets
        self.pointer = pointer
        share = library.shareInit()
        if let share {
            _ = ccurl_share_set_int(
                library.shareSetOption, share, CurlConstant.shareOption, CurlConstant.shareTLSSessions)
        }
        _ = ccurl_multi_set_long(
            library.multiSetOption, pointer, CurlConstant.multiMaximumConnections, max(1, maximumConnections))
        _ = ccurl_multi_set_long(
            library.multiSetOption, pointer, CurlConstant.multiPipelining, CurlConstant.multiplex)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_multi_set_pointer(library.multiSetOption, pointer, CurlConstant.multiSocketContext, context)
        _ = ccurl_multi_set_pointer(library.multiSetOption, pointer, CurlConstant.multiTimerContext, context)
        _ = ccurl_multi_set_socket_callback(
            library.multiSetOption, pointer, CurlConstant.multiSocketFunction
        ) { easy, descriptor, interest, context, _ in
            context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }?
                .watch(descriptor, interest, for: easy)
            return 0
        }
        _ = ccurl_multi_set_timer_callback(
            library.multiSetOption, pointer, CurlConstant.multiTimerFunction
        ) { _, milliseconds, context in
            context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }?.setTimer(milliseconds)
            return 0
        }
    }

    deinit {
        (idle, spent) = ([], [])
        _ = library.multiCleanup(pointer)
        if let share { _ = library.shareCleanup(share) }
    }

    // libcurl's callbacks

    private func watch(_ descriptor: CInt, _ interest: CInt, for easy: CurlLibrary.Handle?) {
        sockets.watch(descriptor, interest, for: easy.flatMap { handle(of: $0) })
    }

    private func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    // The event loop

    /// Watches the descriptor that wakes the loop.
    func watch(_ wakeup: Wakeup) { sockets.watch(wakeup) }

    /// Returns a handle for a new transfer.
    /// - Parameter mayUseTLS: false if neither the server nor a proxy is reached by TLS.
    func makeHandle(mayUseTLS: Bool) -> EasyHandle? {
        if let index = idle.lastIndex(where: { $0.hasTrust || !mayUseTLS }) { return idle.remove(at: index) }
        let template = mayUseTLS ? template : plainTemplate
        if let handle = spent.popLast() ?? idle.popLast(), handle.renew(copying: template, share: share) {
            return handle
        }
        return EasyHandle(copying: template, share: share)
    }

    /// True when connections wait for a request, so that ``wait(_:atMost:)`` may find that one is unusable.
    var hasIdleConnections: Bool { sockets.hasIdle }

    /// True when connections have bytes that libcurl reads in the next round.
    var hasHeldConnections: Bool { sockets.hasHeld || !yielding.isEmpty }

    /// Gives each connection another share of what libcurl reads.
    func beginRound() {
        sockets.beginRound()
        guard !yielding.isEmpty else { return }
        let sockets = yielding.values
        yielding = [:]
        for socket in sockets { receive(from: socket) }
    }

    /// Starts a transfer.
    /// - Returns: libcurl's result code (`CURLMcode`); 0 for success.
    func add(_ handle: EasyHandle) -> CInt {
        let result = library.multiAdd(pointer, handle.pointer)
        if result == 0 { count += 1 }
        return result
    }

    /// Ends a transfer.
    /// - Parameters:
    ///   - isReusable: true to keep the handle for another transfer. One whose transfer failed or was cut short may
    ///     keep bytes of a paused response, which the next transfer would get.
    ///   - hasIdleConnection: true if the transfer leaves an HTTP/1 connection for the next request.
    func remove(_ handle: EasyHandle, isReusable: Bool, hasIdleConnection: Bool) {
        if hasIdleConnection { sockets.setIdle(after: handle) }
        _ = library.multiRemove(pointer, handle.pointer)
        assert(count > 0, "A handle is removed twice.")
        count -= 1
        handle.release()
        guard isReusable, handle.isReusable else { return }
        if library.version.usesFreedHeaders {
            if spent.count < Self.maximumIdle { spent.append(handle) }
        } else {
            if idle.count < Self.maximumIdle { idle.append(handle) }
        }
    }

    /// Ends a connection that must not be used again.
    func retire(_ connection: SocketTable.ID) { sockets.retire(connection) }

    /// Runs libcurl's timer if it is due: it starts transfers too.
    func runTimer() {
        guard let due = timer, due <= .now else { return }
        timer = nil
        act(CurlConstant.timerDescriptor, 0)
        // libcurl reports no timer that it regards as still set, which it may do if its clock differs.
        var milliseconds = 0
        if timer == nil, count > 0, library.multiTimeout(pointer, &milliseconds) == 0 { setTimer(milliseconds) }
    }

    private func act(_ descriptor: CInt, _ mask: CInt) {
        var running: CInt = 0
        sockets.beginTurn(descriptor)
        _ = library.multiAct(pointer, descriptor, mask, &running)
    }

    /// The next transfer that has ended, and libcurl's result code.
    func nextEnded() -> (transfer: ActiveTransfer, code: CInt)? {
        var left: CInt = 0
        while let message = library.multiReadMessage(pointer, &left) {
            guard message.pointee.kind == CurlConstant.messageDone, let easy = message.pointee.easy else { continue }
            if let transfer = handle(of: easy)?.transfer { return (transfer, message.pointee.data.code) }
        }
        return nil
    }

    /// The object of libcurl's handle.
    private func handle(of easy: CurlLibrary.Handle) -> EasyHandle? {
        var context: UnsafeMutableRawPointer?
        let info = CurlInfo.privatePointer.rawValue
        guard ccurl_easy_get_pointer(library.easyGetInfo, easy, info, &context) == 0, let context else { return nil }
        return Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// Waits for network activity, the wakeup of the mailbox, libcurl's timer, or a duration, and handles the activity.
    /// - Returns: true if there was activity or the wakeup.
    @discardableResult
    func wait(_ mailbox: Mailbox, atMost limit: Duration) -> Bool {
        var duration = timer.map { min($0 - .now, limit) } ?? limit
        if let deadline = closing.first?.deadline { duration = min(deadline - .now, duration) }
        return sockets.wait(mailbox, milliseconds: duration.milliseconds) { descriptor, mask in
            guard let socket = connected[descriptor: descriptor] else { return act(descriptor, mask) }
            if mask & 2 != 0 || socket.isClosing { send(to: socket) }
            if mask & ~2 != 0 { receive(from: socket) }
        }
    }

    // MARK: Connections without HTTP

    /// Keeps a connection, whose handle stays in the multi handle.
    /// - Parameter buffer: memory for the bytes that connections receive.
    func connect(_ socket: ConnectedSocket, _ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
        connected.add(socket)
        // Not at once: it may have ended, and the loop still reads what libcurl tells of the transfer.
        yielding[socket.id] = socket
    }

    /// Receives bytes, unless the connection has ended meanwhile.
    func receive(from socket: ConnectedSocket) {
        guard connected[socket.id] === socket, yielding[socket.id] == nil, let buffer else { return }
        switch socket.receive(into: buffer) {
        case .waiting: sockets.watch(socket)
        case .share:
            yielding[socket.id] = socket
            sockets.watch(socket)
        // The peer may still read what was written.
        case .end: disconnect(socket)
        case .lost: remove(socket)
        }
    }

    /// Sends bytes, unless the connection has ended meanwhile.
    func send(to socket: ConnectedSocket) {
        guard connected[socket.id] === socket else { return }
        socket.send()
        if socket.isClosing, !socket.hasUnsent { return remove(socket) }
        // What the peer has sent before its end.
        if socket.cannotSend { receive(from: socket) } else { sockets.watch(socket) }
    }

    /// Closes a connection, once the network has taken the bytes that were written.
    func disconnect(_ socket: ConnectedSocket) {
        guard !socket.isClosing else { return }
        socket.close()
        send(to: socket)
        if connected[socket.id] === socket { closing.append((socket, .now + Self.lingering)) }
    }

    /// Closes the connections whose peers have taken no bytes for too long.
    func endClosing() {
        while let (socket, deadline) = closing.first, deadline <= .now {
            closing.removeFirst()
            remove(socket)
        }
    }

    /// Closes all connections, after what the network takes at once.
    func disconnectAll(_ error: TransportError) {
        for socket in connected.all {
            socket.pipe.finish(.failure(error))
            socket.send()
            remove(socket)
        }
    }

    private func remove(_ socket: ConnectedSocket) {
        // libcurl closes the connection with its handle.
        guard connected.remove(socket) else { return }
        socket.pipe.setSocket(nil)
        yielding[socket.id] = nil
        if socket.isClosing { closing.removeAll { $0.socket === socket } }
        remove(socket.handle, isReusable: false, hasIdleConnection: false)
    }
}
