import Foundation
import Synchronization
import SystemLibraries

// Constants of the socket interface have other types on each platform; these make all of them the one that calls take.
private func cInt(_ value: Int32) -> Int32 { value }
private func cInt(_ value: Int) -> Int32 { Int32(truncatingIfNeeded: value) }
private func cInt(_ value: some RawRepresentable<UInt32>) -> Int32 { Int32(bitPattern: value.rawValue) }

/// Where bytes come from.
protocol ByteSource {
    /// Waits for bytes and stores some.
    /// - Returns: how many, at least 1; 0 at the end.
    func read(into memory: UnsafeMutableRawBufferPointer) throws(ConnectionLost) -> Int
}

/// The other side is gone, or the connection was shut down from this one.
struct ConnectionLost: Error {}

/// One connected TCP socket. Its calls wait; stopping it from another thread ends the waiting.
final class Socket: ByteSource, Sendable {
    private struct State {
        // Shutting down a descriptor that was closed could hit another connection, which has got the same number since.
        var isOpen = true
        var isStopped = false
        var owesResponse = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Some systems hand the listener's non-blocking mode on.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) & ~O_NONBLOCK)
        setOption(cInt(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        BrokenPipeSignal.turnOff(forSocket: descriptor)
        // How long a thread that waits for room to write takes to notice that the socket was stopped.
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

    /// True from the arrival of a request until all of its response was written.
    var owesResponse: Bool {
        get { state.withLock(\.owesResponse) }
        set { state.withLock { $0.owesResponse = newValue } }
    }

    /// Ends whatever another thread waits for. The descriptor stays.
    ///
    /// The client sees an orderly end at once. If it is owed a response, it sees a reset as soon as the descriptor is
    /// closed, because an orderly end would make a part of a response look like a whole one.
    func stop() {
        state.withLock { state in
            guard state.isOpen, !state.isStopped else { return }
            state.isStopped = true
            if state.owesResponse { resetWhenClosed() }
            _ = Foundation.shutdown(descriptor, cInt(state.owesResponse ? SHUT_RD : SHUT_RDWR))
        }
    }

    /// Says that nothing more will be sent.
    func finishSending() { _ = Foundation.shutdown(descriptor, cInt(SHUT_WR)) }

    /// Makes reading fail when nothing comes for so long.
    func limitWaiting(toSeconds seconds: Int) {
        setOption(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    }

    /// Makes closing send a reset instead of an orderly end.
    func resetWhenClosed() { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    /// Gives the descriptor back.
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

    /// Opens a socket that is bound to a port of 127.0.0.1, or with 0 to any that is free.
    /// - Returns: the descriptor, which is the caller's to close, and the port.
    static func bound(to port: UInt16) throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, cInt(SOCK_STREAM), 0)
        guard descriptor >= 0 else { throw LoopbackError.system("No socket could be opened") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // A port that was given may still have old connections; one that is chosen must not be another socket's.
        var reuse: Int32 = port == 0 ? 0 : 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            let error = LoopbackError.system("Port \(port) cannot be bound")
            _ = Foundation.close(descriptor)
            throw error
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A socket on 127.0.0.1 that takes connections, and a pipe that ends the waiting for them.
final class ListeningSocket: Sendable {
    let port: Int
    private let descriptor: Int32
    private let stopReader: Int32
    private let stopWriter: Int32
    private enum Phase { case listening, stopping, closed }
    private let phase = Mutex(Phase.listening)

    /// Listens on a port, or with 0 on any that is free.
    init(port: Int) throws(LoopbackError) {
        guard let number = UInt16(exactly: port) else {
            throw LoopbackError(.cannotListen, "A port is between 0 and 65535; 0 means any that is free.")
        }
        let (descriptor, boundPort) = try Socket.bound(to: number)
        var pipes: [Int32] = [-1, -1]
        guard listen(descriptor, 1024) == 0, pipe(&pipes) == 0 else {
            let error = LoopbackError.system("Port \(port) cannot be listened on")
            _ = Foundation.close(descriptor)
            throw error
        }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // A client may be gone again between poll and accept, which must not wait for the next one then.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        self.descriptor = descriptor
        self.port = boundPort
        stopReader = pipes[0]
        stopWriter = pipes[1]
    }

    deinit { close() }

    /// Waits for the next connection.
    /// - Returns: nil after ``stop()``.
    func accept() -> Socket? {
        var isExhausted = false
        while true {
            var events = [pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0)]
            // Without free descriptors a waiting client would keep poll from waiting; look again a little later then.
            if !isExhausted { events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
            let count = poll(&events, nfds_t(events.count), isExhausted ? 20 : -1)
            if count < 0, errno != EINTR { return nil }
            if count > 0, events[0].revents != 0 { return nil }
            let accepted = Foundation.accept(descriptor, nil, nil)
            if accepted >= 0 { return Socket(adopting: accepted) }
            isExhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        }
    }

    /// Ends ``accept()``, now and ever after.
    func stop() {
        phase.withLock { phase in
            guard phase == .listening else { return }
            phase = .stopping
            var byte: UInt8 = 0
            _ = Foundation.write(stopWriter, &byte, 1)
        }
    }

    /// Stops listening. For the thread that calls ``accept()``, after the last time.
    func close() {
        phase.withLock { phase in
            guard phase != .closed else { return }
            phase = .closed
            for descriptor in [descriptor, stopReader, stopWriter] { _ = Foundation.close(descriptor) }
        }
    }
}
