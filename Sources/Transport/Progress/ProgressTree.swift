/// Weighted calls and groups of them: a tree whose nodes are in one array, without a clock.
///
/// ```
/// call: started -transferred->  as far as its bytes are
/// call: any     -finished->     whole
/// ```
struct ProgressTree: Hashable, Sendable {
    /// The index of a node; 0 is the root.
    typealias ID = Int

    private struct Node: Hashable, Sendable {
        let parent: ID?
        let weight: Double
        let isCall: Bool
        var upload: TransferProgress?
        var download: TransferProgress?
        var isFinished = false

        var transfers: [TransferProgress] { [upload, download].compactMap { $0 } }
        var bytes: Int64 { transfers.reduce(0) { $0 + $1.completed } }
        /// Nil while it is not known.
        var total: Int64? {
            if isFinished { return bytes }
            guard !transfers.isEmpty else { return nil }
            return transfers.reduce(0 as Int64?) { sum, transfer in
                transfer.total.flatMap { total in sum.map { $0 + max(total, transfer.completed) } }
            }
        }
        var fraction: Double {
            if isFinished { return 1 }
            guard let total, total > 0 else { return 0 }
            return Double(bytes) / Double(total)
        }
    }

    private var nodes = [Node(parent: nil, weight: 1, isCall: false)]

    /// Adds a call or a group to a group.
    /// - Parameter weight: its part of the work, among the others of the group; a negative one counts as 0.
    mutating func add(to group: ID, weight: Double, isCall: Bool) -> ID {
        nodes.append(Node(parent: group, weight: max(0, weight.isFinite ? weight : 0), isCall: isCall))
        return nodes.count - 1
    }

    /// Notes the bytes of a call. A retry counts from zero again.
    mutating func transferred(_ id: ID, _ progress: TransferProgress) {
        switch progress.direction {
        case .upload: nodes[id].upload = progress
        case .download: nodes[id].download = progress
        }
    }

    /// Notes the end of a call, regardless of its outcome.
    mutating func finished(_ id: ID) { nodes[id].isFinished = true }

    /// The progress of a group.
    func progress(of group: ID) -> GroupProgress {
        var weights = Array(repeating: 0.0, count: nodes.count)
        var done = weights
        var result = GroupProgress(fraction: 0, bytes: 0, totalBytes: 0, finishedCount: 0, count: 0)
        var isInside = Array(repeating: false, count: nodes.count)
        for id in nodes.indices { isInside[id] = id == group || nodes[id].parent.map { isInside[$0] } ?? false }
        // Children have larger numbers than their group, so each group is complete before it is added to its own.
        for id in nodes.indices.reversed() where isInside[id] {
            let node = nodes[id]
            if node.isCall {
                result.count += 1
                result.finishedCount += node.isFinished ? 1 : 0
                result.bytes += node.bytes
                result.totalBytes = result.totalBytes.flatMap { sum in node.total.map { sum + $0 } }
            }
            let fraction = node.isCall ? node.fraction : weights[id] > 0 ? done[id] / weights[id] : 0
            guard id != group, let parent = node.parent else {
                result.fraction = fraction
                continue
            }
            weights[parent] += node.weight
            done[parent] += node.weight * fraction
        }
        return result
    }
}
