import Dispatch
import Foundation
import Synchronization

/// Back-pressure: suspends the task of a session while the buffer of its response is full.
///
/// It is level-triggered. Each change of the buffer enqueues a comparison of what is wanted then with what the task
/// was told last. The queue is serial, so suspending and resuming alternate, and the last call fits the last change.
final class FlowControl: Sendable {
    private let queue: DispatchQueue
    private let wantsSuspension: @Sendable () -> Bool
    private let setSuspended: @Sendable (Bool) -> Void
    private let isSuspended = Mutex(false)

    /// - Parameters:
    ///   - queue: a serial queue.
    ///   - setSuspended: called on `queue`.
    init(
        on queue: DispatchQueue, wantsSuspension: @escaping @Sendable () -> Bool,
        setSuspended: @escaping @Sendable (Bool) -> Void
    ) {
        self.queue = queue
        self.wantsSuspension = wantsSuspension
        self.setSuspended = setSuspended
    }

    /// Suspends or resumes the task, if that has become necessary.
    func update() {
        queue.async { [self] in
            let isWanted = wantsSuspension()
            let isChanged = isSuspended.withLock { isSuspended in
                defer { isSuspended = isWanted }
                return isSuspended != isWanted
            }
            if isChanged { setSuspended(isWanted) }
        }
    }
}

extension ResponseBodyLimits {
    /// The limits for a networking library.
    ///
    /// On Linux a resumed task sends its request again, so it is not suspended. Apple says "A task, while suspended,
    /// produces no network traffic and is not subject to timeouts"
    /// (https://developer.apple.com/documentation/foundation/urlsessiontask/suspend()), but the tests of Apple's own
    /// swift-openapi-urlsession find that a suspension does not stop the traffic. So it is advice: what still arrives
    /// beyond twice the limit goes to a file.
    init(for engine: EngineKind, memoryLimit: Int) {
        switch engine {
        case .libcurl: self.init(spilling: memoryLimit)
        case .cfNetwork:
            let (twice, isOverflow) = memoryLimit.multipliedReportingOverflow(by: 2)
            self.init(suspension: memoryLimit, spilling: isOverflow ? .max : twice)
        }
    }
}
