import Delegation
import Transport

/// The progress of a queue, and the changes that its delegates have not seen yet.
///
/// Changes of one request are joined until they are taken, so that their number does not grow with that of the chunks.
struct QueueProgress {
    /// A progress delegate, and its identity, which needs no strong reference.
    struct Target: Sendable {
        let object: WeakTarget
        let id: ObjectIdentifier

        /// Nil without an object.
        init?(_ object: WeakTarget) {
            guard let id = object.object.map({ ObjectIdentifier($0) }) else { return nil }
            self.object = object
            self.id = id
        }
    }

    /// Changes of one direction, for its delegate.
    struct Report: Sendable {
        let target: WeakTarget
        let direction: TransferProgress.Direction
        let request: SDMHttpRequest
        fileprivate(set) var changes: [ProgressChange]
    }

    private struct Key: Hashable {
        let request: ObjectIdentifier
        let direction: TransferProgress.Direction
        let target: ObjectIdentifier
    }

    private(set) var upload = QueueMeter()
    private(set) var download = QueueMeter()
    /// One for each key, in the order of their first changes.
    private var reports: [Report] = []
    private var indices: [Key: Int] = [:]
    /// The newest fractions of the queue, which follow the reports.
    private var fractions: [TransferProgress.Direction: Report] = [:]

    /// Adds the changes of a request's meter.
    /// - Parameter target: gets the changes later; nil for none.
    /// - Returns: true if nothing was pending, so that ``take()`` is due.
    mutating func add(
        _ changes: [ProgressChange], _ direction: TransferProgress.Direction, of request: SDMHttpRequest,
        for target: Target?
    ) -> Bool {
        let fraction = direction == .upload ? upload.add(changes) : download.add(changes)
        guard let target else { return false }
        let wasEmpty = reports.isEmpty && fractions.isEmpty
        // The fraction of a request is not that of the queue.
        for change in changes where !change.isFraction {
            let key = Key(request: ObjectIdentifier(request), direction: direction, target: target.id)
            let index = indices[key] ?? reports.endIndex
            if index == reports.endIndex {
                indices[key] = index
                reports.append(Report(target: target.object, direction: direction, request: request, changes: []))
            }
            reports[index].changes.merge(change)
        }
        if !fraction.isEmpty {
            fractions[direction] = Report(
                target: target.object, direction: direction, request: request, changes: fraction)
        }
        return wasEmpty && !(reports.isEmpty && fractions.isEmpty)
    }

    /// Takes the changes for the delegates, in order.
    mutating func take() -> [Report] {
        defer { (reports, indices, fractions) = ([], [:], [:]) }
        return reports + fractions.values
    }
}

extension ProgressChange {
    fileprivate var isFraction: Bool { if case .fraction = self { true } else { false } }
}
