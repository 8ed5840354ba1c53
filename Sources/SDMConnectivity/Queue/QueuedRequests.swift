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

    /// The app's requests.
    var all: [SDMHttpRequest] { requests.filter { !heads.contains($0.key) }.map(\.value) }

    /// All requests, `HEAD` requests included.
    var withHeads: [SDMHttpRequest] { Array(requests.values) }

    subscript(id: Int) -> SDMHttpRequest? { requests[id] }

    /// Adds a request.
    @discardableResult
    mutating func add(_ request: SDMHttpRequest, after prerequisite: Int? = nil, isUrgent: Bool = false) -> Int {
        let id = state.add(after: prerequisite, isUrgent: isUrgent)
        requests[id] = request
        ids[ObjectIdentifier(request)] = id
        if isUrgent { heads.insert(id) }
        return id
    }

    /// Removes a complete request.
    mutating func complete(_ request: SDMHttpRequest, failed: Bool) -> [QueueState.Action] {
        guard let id = ids.removeValue(forKey: ObjectIdentifier(request)) else { return [] }
        requests[id] = nil
        heads.remove(id)
        return state.completed(id, failed: failed)
    }
}
