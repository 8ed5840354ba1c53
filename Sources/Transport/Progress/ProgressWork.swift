/// Sums of calls and their bytes.
///
/// A server may state any length, so they have more bits than those.
struct ProgressWork: Hashable, Sendable {
    private(set) var count = 0
    private(set) var finishedCount = 0
    private(set) var bytes: Int128 = 0
    /// The bytes of the bodies whose calls know all of them.
    private var knownTotal: Int128 = 0
    /// The number of calls that do not know theirs.
    private var unknownCount = 0

    /// Nothing.
    init() {}

    /// One call.
    /// - Parameter transfers: its directions, as far as they have begun.
    init(_ transfers: [TransferProgress]) {
        count = 1
        for transfer in transfers {
            bytes += Int128(transfer.completed)
            if let total = transfer.total { knownTotal += Int128(max(total, transfer.completed)) }
        }
        guard transfers.isEmpty || transfers.contains(where: { $0.total == nil }) else { return }
        (knownTotal, unknownCount) = (0, 1)
    }

    /// A call after its end.
    var finished: ProgressWork {
        var work = self
        (work.finishedCount, work.knownTotal, work.unknownCount) = (1, bytes, 0)
        return work
    }

    /// Nil while that of a call is not known, and if it is too large.
    var totalBytes: Int64? { unknownCount == 0 ? Int64(exactly: knownTotal) : nil }

    /// The done part of the bytes; 0 while their number is not known.
    var fraction: Double {
        unknownCount == 0 && knownTotal > 0 ? Double(bytes) / Double(knownTotal) : 0
    }

    static func += (left: inout ProgressWork, right: ProgressWork) {
        left.count += right.count
        left.finishedCount += right.finishedCount
        left.bytes += right.bytes
        left.knownTotal += right.knownTotal
        left.unknownCount += right.unknownCount
    }

    static func - (left: ProgressWork, right: ProgressWork) -> ProgressWork {
        var difference = left
        difference.count -= right.count
        difference.finishedCount -= right.finishedCount
        difference.bytes -= right.bytes
        difference.knownTotal -= right.knownTotal
        difference.unknownCount -= right.unknownCount
        return difference
    }
}
