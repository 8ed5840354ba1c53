/// Weighted calls and groups of them: a tree whose groups keep the sums of what is in them, without a clock.
///
/// A change is added to each group above it, so that it costs no more with more calls. A call that has ended is a part
/// of these sums only, and so is a group that is removed.
///
/// ```
/// call: started -transferred->  as far as its bytes are
/// call: any     -finished->     whole
/// ```
struct ProgressTree: Sendable {
    /// The number of a group or a call; 0 is the root.
    typealias ID = Int

    private struct Call {
        let group: ID
        let weight: Double
        var upload: TransferProgress?
        var download: TransferProgress?

        var work: ProgressWork { ProgressWork([upload, download].compactMap { $0 }) }
    }

    private struct Group {
        let parent: ID?
        let weight: Double
        var work = ProgressWork()
        /// The weights of its calls and groups, and the done part of them.
        var weights = 0.0
        var done = 0.0
        /// The number of its calls and groups that are not whole.
        var openCount = 0

        var isWhole: Bool { openCount == 0 && weights > 0 }
        /// Sums that were changed often are not exact.
        var fraction: Double { isWhole ? 1 : weights > 0 ? min(max(done / weights, 0), 1) : 0 }
    }

    private var groups = [0: Group(parent: nil, weight: 1)]
    private var calls: [ID: Call] = [:]
    private var lastID = 0

    /// The number of calls and groups that are kept.
    var count: Int { groups.count + calls.count }

    /// Adds a call or a group to a group.
    /// - Parameter weight: its part of the work, among the others of the group; a negative one counts as 0.
    mutating func add(to group: ID, weight: Double, isCall: Bool) -> ID {
        let weight = max(0, weight.isFinite ? weight : 0)
        lastID += 1
        var work = ProgressWork()
        if isCall {
            let call = Call(group: group, weight: weight)
            calls[lastID] = call
            work = call.work
        } else {
            groups[lastID] = Group(parent: group, weight: weight)
        }
        add(work, weight: weight, open: 1, to: group)
        return lastID
    }

    /// Notes the bytes of a call. A retry counts from zero again.
    mutating func transferred(_ id: ID, _ progress: TransferProgress) {
        guard var call = calls[id] else { return }
        let old = call.work
        switch progress.direction {
        case .upload: call.upload = progress
        case .download: call.download = progress
        }
        calls[id] = call
        let new = call.work
        add(new - old, done: call.weight * (new.fraction - old.fraction), to: call.group)
    }

    /// Notes the end of a call, regardless of its outcome.
    mutating func finished(_ id: ID) {
        guard let call = calls.removeValue(forKey: id) else { return }
        let work = call.work
        add(work.finished - work, done: call.weight * (1 - work.fraction), open: -1, to: call.group)
    }

    /// Forgets a group to which nothing is added any more: it is whole, and what was done in it still counts.
    mutating func remove(_ id: ID) {
        guard let group = groups.removeValue(forKey: id), !group.isWhole, let parent = group.parent else { return }
        add(ProgressWork(), done: group.weight * (1 - group.fraction), open: -1, to: parent)
    }

    /// The progress of a group.
    func progress(of group: ID) -> GroupProgress {
        guard let group = groups[group] else {
            return GroupProgress(fraction: 0, bytes: 0, totalBytes: nil, finishedCount: 0, count: 0)
        }
        let work = group.work
        return GroupProgress(
            fraction: group.fraction, bytes: Int64(clamping: work.bytes), totalBytes: work.totalBytes,
            finishedCount: work.finishedCount, count: work.count)
    }

    /// Adds a change to a group and to those above it.
    /// - Parameters:
    ///   - weight: the weight of a new call or group.
    ///   - done: the change of the done part of the weights.
    ///   - open: the change of the number of calls and groups that are not whole.
    private mutating func add(
        _ work: ProgressWork, weight: Double = 0, done: Double = 0, open: Int = 0, to group: ID
    ) {
        var (id, weight, done, open) = (Optional(group), weight, done, open)
        while let current = id, var group = groups[current] {
            let (fraction, wasWhole) = (group.fraction, group.isWhole)
            group.work += work
            group.weights += weight
            group.done += done
            group.openCount += open
            groups[current] = group
            weight = 0
            done = group.weight * (group.fraction - fraction)
            open = wasWhole == group.isWhole ? 0 : wasWhole ? 1 : -1
            id = group.parent
        }
    }
}
