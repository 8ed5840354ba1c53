import HTTPMessages
import Synchronization

/// Counts the bytes of a file that is gone on with from the file's start, not from where the part begins.
final class OffsetObserver: TransferObserver {
    private let base: any TransferObserver
    private let offset: Int64
    private let isPart = Mutex(false)

    init(_ base: any TransferObserver, offset: Int64) {
        self.base = base
        self.offset = offset
    }

    func transfer(didReach event: TransferEvent) {
        switch event {
        case .head(let head):
            isPart.withLock { $0 = head.status == .partialContent }
        case .received(let count, let total) where isPart.withLock(\.self):
            return base.transfer(didReach: .received(count + offset, of: total.map { $0 + offset }))
        default: break
        }
        base.transfer(didReach: event)
    }
}
