import Delegation
import Synchronization

/// The requests that one request waits for, and those that wait for it.
struct RequestDependencies {
    /// The app's dependencies.
    private(set) var all: [SDMHttpRequest] = []
    private var incomplete: Set<ObjectIdentifier> = []
    /// Weakly, since they retain this request.
    private var waiting: [WeakTarget] = []

    /// True while the request must not start.
    var isBlocked: Bool { !incomplete.isEmpty }

    /// The requests that wait for this one.
    var dependents: [SDMHttpRequest] { waiting.compactMap { $0.object as? SDMHttpRequest } }

    /// Waits for a request.
    mutating func wait(for request: SDMHttpRequest) { incomplete.insert(ObjectIdentifier(request)) }

    /// Waits for a request no longer.
    mutating func proceed(without request: SDMHttpRequest) { incomplete.remove(ObjectIdentifier(request)) }

    /// Adds a dependency of the app.
    mutating func add(_ request: SDMHttpRequest) {
        guard !all.contains(where: { $0 === request }) else { return }
        all.append(request)
    }

    /// Removes a dependency of the app.
    mutating func remove(_ request: SDMHttpRequest) { all.removeAll { $0 === request } }

    /// Adds a request that waits for this one.
    mutating func addDependent(_ request: SDMHttpRequest) { waiting.append(WeakTarget(request)) }
}

extension SDMHttpRequest {
    /// The requests that must complete before this one starts in a queue, whether they fail or not; default none.
    ///
    /// They may be in other queues. ``startSynchronous()`` waits for none.
    public var dependencies: [SDMHttpRequest] { state.withLock(\.membership.dependencies.all) }

    /// Adds a request that must complete first; without effect after this one has started.
    ///
    /// Requests that depend on each other wait until one is cancelled.
    public func addDependency(_ request: SDMHttpRequest) {
        guard request !== self else { return }
        let isWaiting = state.withLock { state in
            guard state.phase == .created else { return false }
            state.membership.dependencies.add(request)
            return true
        }
        if isWaiting { wait(for: request) }
    }

    /// Removes a request that must complete first.
    public func removeDependency(_ request: SDMHttpRequest) {
        state.withLock { $0.membership.dependencies.remove(request) }
        proceed(without: request)
    }

    /// Starts after another request, which the app need not know.
    func wait(for request: SDMHttpRequest) {
        // First, so that an end after the next lines is noticed.
        state.withLock { $0.membership.dependencies.wait(for: request) }
        let isComplete = request.state.withLock { state in
            if state.phase != .finished { state.membership.dependencies.addDependent(self) }
            return state.phase == .finished
        }
        if isComplete { proceed(without: request) } else { updateQueue() }
    }

    /// Waits for another request no longer.
    func proceed(without request: SDMHttpRequest) {
        state.withLock { $0.membership.dependencies.proceed(without: request) }
        updateQueue()
    }

    /// True while the request must not start.
    var isBlocked: Bool { state.withLock(\.membership.dependencies.isBlocked) }

    private func updateQueue() {
        let owner = state.withLock(\.membership.owner)
        owner?.perform { $0.update(self) }
    }
}
