import Foundation
import Synchronization
import SystemLibraries

// The types of socket constants differ between platforms; these overloads convert all of them to Int32.
private func cInt(_ value: Int32) -> Int32 { value }
private func cInt(_ value: Int) -> Int32 { Int32(truncatingIfNeeded: value) }
private func cInt(_ value: some RawRepresentable<UInt32>) -> Int32 { Int32(bitPattern: value.rawValue) }

/// A blocking source of bytes.
protocol ByteSource {
    /// Blocks until bytes are available, and reads them.
    /// - Returns: the number of bytes read; 0 at the end.
    func read(into memory: UnsafeMutableRawBufferPointer) throws(ConnectionLost) -> Int
}

/// The peer has disconnected, or the socket was stopped.
struct ConnectionLost: Error {}

/// A connected, blocking TCP socket; ``stop()`` on another thread unblocks its calls.
final class Socket: ByteSource, Sendable {
    private struct State {
        // After close the system may reuse the descriptor for another connection, which must not be shut down.
        var isOpen = true
        var isStopped = false
        var owesResponse = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Some systems let accepted sockets inherit the listener's non-blocking mode.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) & ~O_NONBLOCK)
        setOption(cInt(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        BrokenPipeSignal.turnOff(forSocket: descriptor)
        // A blocked write checks for a stop every 50 ms.
        setOption(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: 0, tv_usec: 50_000))
    }

    deinit { close() }

    func read(into memory: UnsafeMutableRawBufferPointer) throws(ConnectionLost) -> Int {
        while true {
            let count = Foundation.read(descriptor, memory.baseAddress, memory.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw ConnectionLost() }
        }
    }

    /// Sends all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ConnectionLost) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !state.withLock(\.isStopped) else { throw ConnectionLost() }
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                throw ConnectionLost()
            }
        }
    }

    /// Sends all of the bytes.
    func write(_ bytes: some ContiguousBytes) throws(ConnectionLost) {
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(ConnectionLost) in try write(bytes) }
        }
        try outcome.get()
    }

    /// True from the arrival of a request until its response is completely written.
    var owesResponse: Bool {
        get { state.withLock(\.owesResponse) }
        set { state.withLock { $0.owesResponse = newValue } }
    }

    /// Unblocks the calls of another thread; the descriptor stays open.
    ///
    /// The client sees a FIN at once. If its response is incomplete, it sees a reset when the descriptor is closed
    /// instead, because a FIN would make the partial response look complete.
    func stop() {
        state.withLock { state in
            guard state.isOpen, !state.isStopped else { return }
            state.isStopped = true
            if state.owesResponse { resetWhenClosed() }
            _ = Foundation.shutdown(descriptor, cInt(state.owesResponse ? SHUT_RD : SHUT_RDWR))
        }
    }

    /// Shuts down the sending side.
    func finishSending() { _ = Foundation.shutdown(descriptor, cInt(SHUT_WR)) }

    /// Sets the read timeout, in seconds.
    func limitWaiting(toSeconds seconds: Int) {
        setOption(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    }

    /// Makes ``close()`` send a reset instead of a FIN.
    func resetWhenClosed() { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    /// Closes the descriptor.
    func close() {
        state.withLock { state in
            if state.isOpen { _ = Foundation.close(descriptor) }
            state.isOpen = false
        }
    }

    private func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
        }
    }

    /// Opens a socket bound to a port of 127.0.0.1; 0 picks a free one.
    /// - Returns: the descriptor, which the caller must close, and the port.
    static func bound(to port: UInt16) throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, cInt(SOCK_STREAM), 0)
        guard descriptor >= 0 else { throw LoopbackError.system("Cannot open a socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // A given port may still have connections in TIME_WAIT; a picked one must not be shared.
        var reuse: Int32 = port == 0 ? 0 : 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            let error = LoopbackError.system("Cannot bind 127.0.0.1:\(port)")
            _ = Foundation.close(descriptor)
            throw error
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A listening socket on 127.0.0.1, and a pipe that unblocks ``accept()``.
final class ListeningSocket: Sendable {
    let port: Int
    private let descriptor: Int32
    private let stopReader: Int32
    private let stopWriter: Int32
    private enum Phase { case listening, stopping, closed }
    private let phase = Mutex(Phase.listening)

    /// Listens on a port; 0 picks a free one.
    init(port: Int) throws(LoopbackError) {
        guard let number = UInt16(exactly: port) else {
            throw LoopbackError(.cannotListen, "Invalid port \(port); use 0 to 65535, where 0 picks a free one.")
        }
        let (descriptor, boundPort) = try Socket.bound(to: number)
        var pipes: [Int32] = [-1, -1]
        guard listen(descriptor, 1024) == 0, pipe(&pipes) == 0 else {
            let error = LoopbackError.system("Cannot listen on 127.0.0.1:\(port)")
            _ = Foundation.close(descriptor)
            throw error
        }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // A client may disconnect between poll and accept, which must not block until the next one.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        self.descriptor = descriptor
        self.port = boundPort
        stopReader = pipes[0]
        stopWriter = pipes[1]
    }

    deinit { close() }

    /// Blocks until the next connection.
    /// - Returns: nil after ``stop()``.
    func accept() -> Socket? {
        var isExhausted = false
        while true {
            var events = [pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0)]
            // Without free descriptors poll would return at once for a pending client, so it is polled later.
            if !isExhausted { events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
            let count = poll(&events, nfds_t(events.count), isExhausted ? 20 : -1)
            if count < 0, errno != EINTR { return nil }
            if count > 0, events[0].revents != 0 { return nil }
            let accepted = Foundation.accept(descriptor, nil, nil)
            if accepted >= 0 { return Socket(adopting: accepted) }
            isExhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        }
    }

    /// Makes ``accept()`` return nil from now on.
    func stop() {
        phase.withLock { phase in
            guard phase == .listening else { return }
            phase = .stopping
            var byte: UInt8 = 0
            _ = Foundation.write(stopWriter, &byte, 1)
        }
    }

    /// Closes the descriptors. Only for the thread that calls ``accept()``, after its last call.
    func close() {
        phase.withLock { phase in
            guard phase != .closed else { return }
            phase = .closed
            for descriptor in [descriptor, stopReader, stopWriter] { _ = Foundation.close(descriptor) }
        }
    }
}
