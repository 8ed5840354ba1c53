import Synchronization
import Transport

/// Keeps the events of one attempt that nobody hears yet: the last of each kind.
final class HedgeEvents: TransferObserver {
    private let kept = Mutex<[TransferEvent]>([])

    var events: [TransferEvent] { kept.withLock(\.self) }

    func transfer(didReach event: TransferEvent) { kept.withLock { $0.supersede(with: event) } }
}
