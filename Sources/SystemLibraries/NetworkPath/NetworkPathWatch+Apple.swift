#if canImport(Darwin)
    import Dispatch
    import Network
    import Synchronization

    /// Waits for changes of the network by Network framework.
    package final class NetworkPathWatch: Sendable {
        private struct State {
            var path: NetworkPath?
            var isStopped = false
        }

        private let monitor = Mutex(NWPathMonitor())
        private let state = Mutex(State())
        /// Signaled once for each change, and at the end.
        private let changes = DispatchSemaphore(value: 0)

        /// Starts the watch.
        package init?() {
            let first = monitor.withLock { $0.currentPath }
            state.withLock { $0.path = Self.path(first) }
            monitor.withLock { monitor in
                monitor.pathUpdateHandler = { [weak self] path in self?.update(Self.path(path)) }
                monitor.start(queue: DispatchQueue(label: "patchbay.network"))
            }
        }

        deinit { monitor.withLock { $0.cancel() } }

        /// The state now; nil before the system's first report.
        package var path: NetworkPath? { state.withLock(\.path) }

        /// Blocks until the network has changed.
        /// - Returns: its state then; nil after ``stop()``.
        package func next() -> NetworkPath?? {
            changes.wait()
            return state.withLock { $0.isStopped ? nil : .some($0.path) }
        }

        /// Ends the current and all later calls of ``next()``.
        package func stop() {
            state.withLock { $0.isStopped = true }
            changes.signal()
        }

        private func update(_ path: NetworkPath?) {
            state.withLock { $0.path = path }
            changes.signal()
        }

        private static func path(_ path: NWPath) -> NetworkPath? {
            NetworkPath(
                isSatisfied: path.status != .unsatisfied, isExpensive: path.isExpensive,
                isConstrained: path.isConstrained)
        }
    }
#endif
