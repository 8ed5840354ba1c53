import Coordination
import Foundation
import RequestModel
import Synchronization
import SystemLibraries

/// A listener on 127.0.0.1 and ::1 for one redirect (RFC 8252, section 7.3).
///
/// It goes without the one that the machine does not have; a given port needs 127.0.0.1. A page is redirected to
/// 127.0.0.1 unless that is missing, so another program that has the same port of ::1 does not matter.
///
/// One thread serves all connections, so that none of them can delay the browser's. It ends with the sign-in.
final class LoopbackListener: Sendable {
    /// Returns the page for the query of a redirect; called on the listener's thread.
    typealias Handler = @Sendable (Query) -> RedirectPage

    /// The host of the redirect URI.
    let host: String
    /// The port.
    let port: UInt16
    private let path: String
    private let descriptors: [CInt]
    private let wakeups: (reader: CInt, writer: CInt)
    private let state = Mutex(State())
    private let closed = Promise<Void>()

    private struct State {
        var isStarted = false
        var isStopping = false
    }

    /// Binds the port; 0 picks a free one.
    /// - Throws: ``SignInError`` (`addressInUse`, `cannotListen`).
    init(port: UInt16, path: String) throws(SignInError) {
        let sockets: LoopbackAddresses
        do {
            sockets = try LoopbackAddresses(port: port)
        } catch {
            throw Self.failure(error, port)
        }
        var pipes: [CInt] = [-1, -1]
        guard pipe(&pipes) == 0 else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            for descriptor in sockets.descriptors { _ = close(descriptor) }
            throw Self.failure(error, port)
        }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (descriptors, host, self.port) = (sockets.descriptors, sockets.host, sockets.port)
        wakeups = (pipes[0], pipes[1])
        self.path = path
    }

    private static func failure(_ error: POSIXError, _ port: UInt16) -> SignInError {
        let reason = String(cString: strerror(error.code.rawValue))
        guard error.code == .EADDRINUSE else {
            return SignInError(.cannotListen, "Cannot listen on 127.0.0.1:\(port): \(reason).", underlying: error)
        }
        return SignInError(
            .addressInUse,
            "Address already in use: 127.0.0.1:\(port); end the other program or sign-in, or use `.loopback`, which picks "
                + "a free port.", underlying: error)
    }

    deinit {
        guard !state.withLock(\.isStarted) else { return }
        for descriptor in descriptors + [wakeups.reader, wakeups.writer] { _ = close(descriptor) }
    }

    /// Starts the thread; call it once.
    func start(_ handler: @escaping Handler) {
        state.withLock { $0.isStarted = true }
        let thread = Thread { [self] in
            let connections = ListenerConnections(
                listeners: descriptors, wakeup: wakeups.reader, path: path, port: port, handler: handler)
            BrokenPipeSignal.turnOffForThread()
            connections.run()
            for descriptor in descriptors { _ = close(descriptor) }
            closed.fulfill(())
            // The browser still reads its page.
            connections.drain()
            state.withLock { state in
                state.isStopping = true
                for descriptor in [wakeups.reader, wakeups.writer] { _ = close(descriptor) }
            }
        }
        thread.name = "patchbay.signin"
        thread.start()
    }

    /// Stops listening, and returns when the port is free.
    func stop() async {
        let mustWait = state.withLock { state in
            guard state.isStarted else { return false }
            guard !state.isStopping else { return true }
            state.isStopping = true
            var byte: UInt8 = 0
            _ = write(wakeups.writer, &byte, 1)
            return true
        }
        if mustWait { await closed.value }
    }
}
