import CCurl
import Glibc
import Synchronization

/// A thread that blocks all signals.
///
/// libcurl leaves signals alone here (`CURLOPT_NOSIGNAL`), and a library below it may write to a closed socket. The
/// `SIGPIPE` that this raises in the writing thread must not end the process.
final class EventThread: Sendable {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// The thread, until it is joined or detached.
    private let thread: Mutex<pthread_t?>

    /// Starts the thread.
    /// - Returns: nil when the process cannot have another thread.
    init?(name: String, _ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(name, run))
        var thread: pthread_t = 0
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                ccurl_prepare_thread(body.name)
                body.run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            return nil
        }
        self.thread = Mutex(thread)
    }

    deinit {
        if let thread = thread.withLock({ $0.take() }) { pthread_detach(thread) }
    }

    /// Waits for the end of the thread, once its work is done.
    func join() {
        if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
    }
}
