import HTTPMessages
import Synchronization

/// Adds the resumed bytes to the counts of a partial response, and drops those of a response without the file.
final class OffsetObserver: TransferObserver {
    private let base: any TransferObserver
    private let offset: Int64
    private let status = Mutex<HTTPStatus?>(nil)

    init(_ base: any TransferObserver, offset: Int64) {
        self.base = base
        self.offset = offset
    }

    var isImmediate: Bool { base.isImmediate }

    func transfer(didEmit event: TransferEvent) {
        switch event {
        case .head(let head):
            status.withLock { $0 = head.status }
        case .receivedBytes(let count, let total):
            guard let status = status.withLock(\.self) else { break }
            guard status.kind == .successful else { return }
            guard status == .partialContent else { break }
            return base.transfer(didEmit: .receivedBytes(count + offset, total: total.flatMap(whole)))
        default: break
        }
        base.transfer(didEmit: event)
    }

    /// The length of the whole file; nil if there is none, since a server may state any length of the part.
    private func whole(_ part: Int64) -> Int64? {
        let (sum, isOverflow) = part.addingReportingOverflow(offset)
        return isOverflow ? nil : sum
    }
}
