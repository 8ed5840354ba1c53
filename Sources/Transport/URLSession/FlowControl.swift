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

extension ResponseBodyOverflow {
    /// The mode for a networking library.
    ///
    /// On Linux a resumed task sends its request again. Apple says "A task, while suspended, produces no network
    /// traffic and is not subject to timeouts", but also that tasks other than downloads start over when resumed
    /// (https://developer.apple.com/documentation/foundation/urlsessiontask/suspend()). Apple's
    /// swift-openapi-urlsession relies on data tasks that continue. If one did start over, its second head would end
    /// the stream with an error.
    init(for engine: EngineKind, spillingTo directory: URL) {
        switch engine {
        case .libcurl: self = .spill(in: directory)
        case .cfNetwork: self = .suspend
        }
    }
}
