#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A pipe with which one thread ends the wait of another.
package struct WakeupPipe: Sendable {
    private let readEnd: CInt
    private let writeEnd: CInt

    /// Opens the pipe, for the life of the process.
    /// - Returns: nil when the process is out of file descriptors.
    package init?() {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    /// Ends the current or the next wait.
    package func wake() {
        var byte: UInt8 = 1
        // A failed write to a full pipe is fine: the bytes in it wake the thread.
        _ = write(writeEnd, &byte, 1)
    }

    /// Blocks until ``wake()`` or for some milliseconds; -1 for no limit.
    package func wait(milliseconds: CInt) {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &bytes, bytes.count) == bytes.count {}
    }
}
