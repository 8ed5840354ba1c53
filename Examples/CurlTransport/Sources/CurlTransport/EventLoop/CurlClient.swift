import HTTPMessages
import Transport

/// The event thread of a transport, and the mailbox for its commands.
///
/// When the last reference is released, the thread ends after the transfers that run.
final class CurlClient: Sendable {
    let mailbox: Mailbox
    let acceptEncoding: String
    let streamBufferBytes: Int
    let version: CurlVersion
    let clock: EngineClock
    private let thread: EventThread

    /// Starts the thread.
    /// - Throws: `unknown` when the process has no descriptor or thread left.
    init(
        _ library: CurlLibrary, _ configuration: CurlTransport.Configuration, _ options: CurlTransport.NetworkOptions,
        clock: EngineClock
    ) throws(TransportError) {
        guard let wakeup = Wakeup() else {
            throw TransportError(.unknown, "Out of file descriptors; close some, or raise the limit of the process.")
        }
        let mailbox = Mailbox(wakeup)
        let thread = EventThread(name: "patchbay.curl") {
            // The loop is released, with its connections, before the mailbox ends.
            do { EventLoop(mailbox, library, configuration, options, clock: clock).run() }
            mailbox.end()
        }
        guard let thread else {
            wakeup.close()
            throw TransportError(.unknown, "Out of threads; raise the limit of the process.")
        }
        self.mailbox = mailbox
        self.thread = thread
        acceptEncoding = ContentCodings.system.acceptEncoding
        streamBufferBytes = configuration.streamBufferBytes
        version = library.version
        self.clock = clock
    }

    deinit { mailbox.close(.draining) }

    /// Ends the thread and waits for its end.
    func shutdown(_ mode: CurlTransport.Shutdown) async {
        mailbox.close(mode == .draining ? .draining : .cancelling)
        await mailbox.waitForEnd()
        thread.join()
    }
}
