/// The requests of a queue by number, with the state machine that orders them.
struct QueuedRequests {
    var state: QueueState
    private var requests: [Int: SDMHttpRequest] = [:]
    private var ids: [ObjectIdentifier: Int] = [:]
    /// The numbers of `HEAD` requests, which the app does not know.
    private var heads: Set<Int> = []

    init(state: QueueState) { self.state = state }

    /// The number of the app's requests.
    var count: Int { requests.count - heads.count }

    /// The app's requests, in the order in which they were added.
    var all: [SDMHttpRequest] {
        requests.filter { !heads.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// All requests, `HEAD` requests included.
    var withHeads: [SDMHttpRequest] { Array(requests.values) }

    subscript(id: Int) -> SDMHttpRequest? { requests[id] }

    /// Adds a request.
    mutating func add(_ request: SDMHttpRequest, isUrgent: Bool = false) {
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

    /// Removes a complete request.
    mutating func complete(_ request: SDMHttpRequest, failed: Bool) -> [QueueState.Action] {
        guard let id = ids.removeValue(forKey: ObjectIdentifier(request)) else { return [] }
        requests[id] = nil
        heads.remove(id)
        return state.completed(id, failed: failed)
    }
}
