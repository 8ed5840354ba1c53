import Foundation
import Synchronization
import SystemLibraries

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
        LoopbackSocket.sendAtOnce(descriptor)
        BrokenPipeSignal.turnOff(forSocket: descriptor)
        // A blocked write checks for a stop every 50 ms.
        LoopbackSocket.setTimeout(.sending, seconds: 0, milliseconds: 50, of: descriptor)
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
            LoopbackSocket.shutDown(state.owesResponse ? .receiving : .both, of: descriptor)
        }
    }

    /// Shuts down the sending side.
    func finishSending() { LoopbackSocket.shutDown(.sending, of: descriptor) }

    /// Sets the read timeout, in seconds.
    func limitWaiting(toSeconds seconds: Int) {
        LoopbackSocket.setTimeout(.receiving, seconds: seconds, of: descriptor)
    }

    /// Makes ``close()`` send a reset instead of a FIN.
    func resetWhenClosed() { LoopbackSocket.resetWhenClosed(descriptor) }

    /// Closes the descriptor.
    func close() {
        state.withLock { state in
            if state.isOpen { _ = Foundation.close(descriptor) }
            state.isOpen = false
        }
    }

    /// Opens a socket bound to a port of 127.0.0.1; 0 picks a free one.
    /// - Returns: the descriptor, which the caller must close, and the port.
    static func bound(to port: UInt16) throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        do throws(POSIXError) {
            let (descriptor, port) = try LoopbackSocket.bound(to: port)
            return (descriptor, Int(port))
        } catch {
            throw LoopbackError.system("Cannot bind 127.0.0.1:\(port)", error.code.rawValue)
        }
    }
}
