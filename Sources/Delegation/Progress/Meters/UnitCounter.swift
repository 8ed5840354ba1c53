/// Announced and reported units of one transfer: bytes, or a single unit when it finishes.
///
/// Transitions: accurate (bytes) → not accurate (one unit), when a total is unknown.
struct UnitCounter: Hashable, Sendable {
    private(set) var isAccurate: Bool
    /// The sum of all announcements; nil before the first.
    private var announced: Int64?
    /// The sum of all reported bytes.
    private var reported: Int64 = 0
    private var fraction: Double?

    init(isAccurate: Bool) { self.isAccurate = isAccurate }

    /// Sets the total, in bytes; nil if unknown.
    mutating func announce(_ total: Int64?) -> [ProgressChange] {
        var changes: [ProgressChange] = []
        if isAccurate, total == nil {
            changes += rewind(to: 0)
            isAccurate = false
        }
        let units = isAccurate ? max(0, total ?? 0) : 1
        let delta = units - (announced ?? 0)
        announced = units
        if delta != 0 { changes.append(.announce(delta)) }
        return changes
    }

    /// Reports the bytes transferred so far. Progress never goes backwards here.
    mutating func report(_ completed: Int64) -> [ProgressChange] {
        let completed = min(completed, announced ?? 0)
        guard isAccurate, completed > reported else { return [] }
        return move(to: completed)
    }

    /// Takes back what was reported beyond a number of bytes.
    mutating func rewind(to completed: Int64) -> [ProgressChange] {
        reported > completed ? move(to: completed) : []
    }

    /// Takes back everything, and reports a fraction of zero in any case.
    mutating func zero() -> [ProgressChange] {
        let changes: [ProgressChange] = reported > 0 ? [.bytes(-reported)] : []
        (reported, fraction) = (0, 0)
        return changes + [.fraction(0)]
    }

    /// Reports the rest, and a fraction of exactly 1.
    mutating func finish() -> [ProgressChange] {
        let changes = announced == nil ? announce(nil) : []
        return changes + move(to: announced ?? 0, fraction: 1)
    }

    private mutating func move(to completed: Int64) -> [ProgressChange] {
        move(to: completed, fraction: announced.map { $0 > 0 ? Double(completed) / Double($0) : 0 })
    }

    private mutating func move(to completed: Int64, fraction new: Double?) -> [ProgressChange] {
        var changes: [ProgressChange] = []
        if completed != reported { changes.append(.bytes(completed - reported)) }
        if let new, new != fraction { changes.append(.fraction(new)) }
        reported = completed
        fraction = new
        return changes
    }
}
