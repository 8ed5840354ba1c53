#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Suppression of SIGPIPE, which terminates the process when it writes to a connection closed by the peer.
///
/// With the signal suppressed, the write fails with `EPIPE`.
package enum BrokenPipeSignal {
    /// Suppresses the signal for a socket (setsockopt(2), `SO_NOSIGPIPE`). Only on Apple's platforms, which send the
    /// signal to the process.
    package static func turnOff(forSocket descriptor: CInt) {
        #if canImport(Darwin)
            var isOff: CInt = 1
            _ = setsockopt(
                descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOff, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// Blocks the signal in the calling thread. Effective on Linux, which sends the signal to the writing thread.
    package static func turnOffForThread() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
