import Foundation
import Synchronization
import SystemLibraries

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
        let (descriptor, boundPort) = try number == 0 ? Self.boundToNewPort() : Socket.bound(to: number)
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

    /// The ports of earlier servers of this process.
    private static let usedPorts = Mutex<Set<Int>>([])

    /// Binds to a free port that no earlier server had: a client of this process may still keep a connection to that
    /// one, and would send a request of another test on it.
    private static func boundToNewPort() throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        var refused: [Int32] = []
        defer { for descriptor in refused { _ = Foundation.close(descriptor) } }
        while true {
            let bound = try Socket.bound(to: 0)
            let isNew = usedPorts.withLock { $0.insert(bound.port).inserted }
            // The system has about 28,000 ports for this.
            if isNew || refused.count == 100 { return bound }
            refused.append(bound.descriptor)
        }
    }

    /// Blocks until the next connection.
    /// - Returns: nil after ``stop()``.
    func accept() -> Socket? {
        var isExhausted = false
        while true {
            // Without free descriptors a pending client would end the wait at once, so it is looked at later.
            let descriptors = isExhausted ? [stopReader] : [stopReader, descriptor]
            let readable = LoopbackSocket.readable(descriptors, milliseconds: isExhausted ? 20 : -1)
            guard let readable, !readable.contains(stopReader) else { return nil }
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
