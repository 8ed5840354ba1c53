import Transport

/// A FIFO of progress that keeps only the newest value of each direction.
struct NewestProgress: Hashable, Sendable {
    private var values: [TransferProgress] = []

    mutating func add(_ progress: TransferProgress) {
        values.removeAll { $0.direction == progress.direction }
        values.append(progress)
    }

    /// Removes and returns the first value; nil if there is none.
    mutating func next() -> TransferProgress? { values.isEmpty ? nil : values.removeFirst() }
}
