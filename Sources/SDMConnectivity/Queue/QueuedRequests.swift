/// The requests of a queue by number, with the state machine that orders them.
struct QueuedRequests {
    var state: QueueState
    private var requests: [Int: SDMHttpRequest] = [:]
    private var ids: [ObjectIdentifier: Int] = [:]
    /// The numbers of `HEAD` requests, which the app does not know.
    private var heads: Set<Int> = []
    /// Those that are complete and not counted any more, until the calls that follow from that are posted.
    ///
    /// A thread that makes the calls itself must not wait for them, so none of callbacks that are called inline.
    private var leaving: [SDMHttpRequest] = []

    init(state: QueueState) { self.state = state }

    /// The number of the app's requests.
    var count: Int { requests.count - heads.count }

    /// The app's requests, in the order in which they were added.
    var all: [SDMHttpRequest] {
        requests.filter { !heads.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Those that a wait for the queue waits for at its start.
    var awaited: [SDMHttpRequest] { leaving + all }

    /// Those that a wait still waits for: in a queue that was suspended meanwhile, none that was added.
    var stillAwaited: [SDMHttpRequest] { state.isSuspended ? leaving : awaited }

    subscript(id: Int) -> SDMHttpRequest? { requests[id] }

    /// True while a request is in the queue.
    func contains(_ request: SDMHttpRequest) -> Bool { ids[ObjectIdentifier(request)] != nil }

    /// Adds a request. In a queue that is not suspended, the app has started it.
    mutating func add(_ request: SDMHttpRequest, isUrgent: Bool = false) {
        if !state.isSuspended { request.noteStart() }
        let id = state.add(isUrgent: isUrgent, isBlocked: request.isBlocked)
        requests[id] = request
        ids[ObjectIdentifier(request)] = id
        if isUrgent { heads.insert(id) }
    }

    /// Takes note of the requests that a request waits for; unknown ones are ignored.
    mutating func update(_ request: SDMHttpRequest) -> [QueueState.Action] {
        guard let id = ids[ObjectIdentifier(request)] else { return [] }
        // Read within the queue's lock, so that the last of two updates has the newest value.
        state.setBlocked(id, request.isBlocked)
        return state.startWaiting()
    }

    /// Suspends the queue, or starts its requests: also those that wait for a slot.
    mutating func setSuspended(_ isSuspended: Bool) -> [QueueState.Action] {
        if !isSuspended { for request in requests.values { request.noteStart() } }
        state.isSuspended = isSuspended
        return state.startWaiting()
    }

    /// Removes a complete request, which a wait still waits for until ``didLeave(_:)``, unless callbacks are inline.
    mutating func complete(_ request: SDMHttpRequest, failed: Bool, areInline: Bool) -> [QueueState.Action] {
        guard let id = ids.removeValue(forKey: ObjectIdentifier(request)) else { return [] }
        requests[id] = nil
        heads.remove(id)
        if !areInline { leaving.append(request) }
        return state.completed(id, failed: failed)
    }

    /// The calls that follow from the end of a request are posted, such as that of the drain.
    mutating func didLeave(_ request: SDMHttpRequest) { leaving.removeAll { $0 === request } }
}
