import Foundation
import PatchbayTestKit
import Synchronization

@testable import Monitoring

/// A sink that blocks at its first event until it is told to go on.
final class BlockedSink: EventReceiver {
    private let count = Mutex(0)
    private let release = DispatchSemaphore(value: 0)
    let arrived = Gate()
    var received: Int { count.withLock(\.self) }

    func receive(_ event: CallEvent) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        guard number == 1 else { return }
        arrived.open()
        release.wait()
    }

    func goOn() { release.signal() }
}
