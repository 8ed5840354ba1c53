#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// SIGPIPE, which ends the process when a thread writes to a connection that the other side has closed. Where it is
/// turned off, the write fails with `EPIPE` instead.
package enum BrokenPipeSignal {
    /// Turns it off for a socket, where the system can: on Apple's platforms, which send the signal to the process and
    /// not to the thread (setsockopt(2), `SO_NOSIGPIPE`).
    package static func turnOff(forSocket descriptor: CInt) {
        #if canImport(Darwin)
            var isOff: CInt = 1
            _ = setsockopt(
                descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOff, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// Turns it off for what the calling thread writes, where the system sends the signal to the thread: on Linux.
    package static func turnOffForThread() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
