/// The queue of a request, and its relations to other requests of it.
struct QueueMembership: Sendable {
    /// The queue that the request was added to, until it is complete.
    private(set) var owner: SDMNetworkQueue?
    /// The queue that is called after the delegates: the owner, unless the app sets another one.
    var queue: SDMNetworkQueue?
    /// The request that this one precedes with a HEAD.
    private(set) var mainRequest: SDMHttpRequest?
    /// The requests before and after this one.
    var dependencies = RequestDependencies()

    /// Joins a queue.
    /// - Parameter main: the request that this one precedes with a HEAD.
    /// - Returns: false if the request is in a queue.
    mutating func join(_ queue: SDMNetworkQueue, before main: SDMHttpRequest? = nil) -> Bool {
        guard owner == nil else { return false }
        owner = queue
        self.queue = queue
        mainRequest = main
        return true
    }

    /// Leaves the queue at the end of the request, which keeps its ``queue`` for its delegates.
    /// - Returns: the former membership.
    mutating func leave() -> QueueMembership {
        defer {
            owner = nil
            dependencies = RequestDependencies()
        }
        return self
    }
}
