import CCurl
import Glibc

/// An event descriptor that ends the wait of the event thread.
struct Wakeup: Sendable {
    let descriptor: CInt

    /// - Returns: nil when the process is out of file descriptors.
    init?() {
        descriptor = ccurl_make_event_descriptor()
        if descriptor < 0 { return nil }
    }

    /// Ends the current or the next wait.
    func signal() {
        var count: UInt64 = 1
        _ = write(descriptor, &count, 8)
    }

    /// Blocks until ``signal()``.
    func wait() {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, -1)
        reset()
    }

    /// Clears the signal, so that the next wait blocks again.
    func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    func close() { _ = Glibc.close(descriptor) }
}
