package import HTTPMessages

/// The progress of all requests of a queue in one direction: the sum of their announcements and bytes.
///
/// The fraction goes backwards when a request is added, and when one is retried.
package struct QueueMeter: Hashable, Sendable {
    /// The sum of announcements.
    package private(set) var total: Int64 = 0
    /// The sum of bytes.
    package private(set) var completed: Int64 = 0
    private var fraction: Double?

    /// Creates a meter without requests.
    package init() {}

    /// Adds the changes of one request, from its own meter.
    /// - Returns: the fraction of the queue, if it was changed by bytes.
    package mutating func add(_ changes: [ProgressChange]) -> [ProgressChange] {
        var isMoved = false
        for change in changes {
            switch change {
            // Servers may state any lengths, so sums wrap around instead of trapping.
            case .announce(let delta): total &+= delta
            case .bytes(let delta):
                completed &+= delta
                isMoved = true
            case .fraction: break
            }
        }
        guard isMoved, total > 0 else { return [] }
        let new = min(1, max(0, Double(completed) / Double(total)))
        guard new != fraction else { return [] }
        fraction = new
        return [.fraction(new)]
    }

    /// Returns true if a HEAD request must first find the length of a response: accurate progress of a GET request that
    /// is added before the queue starts.
    package static func needsHead(method: HTTPMethod, isAccurate: Bool, isSuspended: Bool) -> Bool {
        method == .get && isAccurate && isSuspended
    }
}
