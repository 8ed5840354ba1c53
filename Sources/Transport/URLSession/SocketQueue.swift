#if !canImport(Darwin)
    import Foundation

    /// The dispatch queue on which a session of Foundation's reads and writes its sockets.
    ///
    /// Foundation does not hand it out. It is the current queue while a session calls its delegate from within libcurl, and
    /// `dispatch_get_current_queue` says so: a function that is deprecated, and looked up at run time for that reason. Where
    /// it is missing, and where the queue has another name than expected, there is no such queue.
    final class SocketQueue: Sendable {
        private typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void
        private struct Functions: Sendable {
            let current: @convention(c) () -> UnsafeMutableRawPointer?
            let label: @convention(c) (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
            let retain, release, suspend, resume: Function

            init?() {
                func find<F>(_ name: String, as type: F.Type) -> F? {
                    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
                }
                guard
                    let current = find(
                        "dispatch_get_current_queue", as: (@convention(c) () -> UnsafeMutableRawPointer?).self),
                    let label = find(
                        "dispatch_queue_get_label",
                        as: (@convention(c) (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?).self),
                    let retain = find("dispatch_retain", as: Function.self),
                    let release = find("dispatch_release", as: Function.self),
                    let suspend = find("dispatch_suspend", as: Function.self),
                    let resume = find("dispatch_resume", as: Function.self)
                else { return nil }
                self.current = current
                self.label = label
                self.retain = retain
                self.release = release
                self.suspend = suspend
                self.resume = resume
            }
        }

        private static let functions = Functions()

        private let functions: Functions
        // A pointer, which the compiler takes for something that threads may not share. The queue is made to be shared.
        private let address: UInt

        /// The queue that calls this, if it is one of those.
        static var current: SocketQueue? {
            guard let functions, let queue = functions.current(), let label = functions.label(queue),
                String(cString: label) == "MultiHandle.isolation"
            else { return nil }
            return SocketQueue(queue, functions)
        }

        private init(_ queue: UnsafeMutableRawPointer, _ functions: Functions) {
            self.functions = functions
            address = UInt(bitPattern: queue)
            functions.retain(queue)
        }

        deinit { call(functions.release) }

        /// Starts nothing more on the queue until as many calls of ``resume()``.
        func suspend() { call(functions.suspend) }
        func resume() { call(functions.resume) }

        private func call(_ function: Function) {
            guard let queue = UnsafeMutableRawPointer(bitPattern: address) else { return }
            function(queue)
        }
    }
#endif
