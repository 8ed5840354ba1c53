import Foundation
import HTTPMessages

/// The state machine of the transfers of one background session, without I/O.
///
/// ```
/// running  -file of a response 2xx moved beside its target->  received
/// running  -complete with another status, with an error, cancelled, lost->  failed
/// running  -upload complete with a status 2xx->  finished
/// received -file moved to its target->  finished
/// received -file cannot be moved->  failed
/// finished, failed -acknowledged->  removed
/// ```
///
/// All other events change nothing, so each transfer completes once: the system may report an end twice, and one that
/// comes after a cancellation. Each change is stored before it is announced. Of a transfer that the system does not
/// list after a relaunch, the end may still be reported; it is lost only when that has not come within a while.
///
/// The handler of the system's events is called after all of them, also if it comes later than they do:
///
/// ```
/// none     -event of a transfer->  reported
/// reported -end of the events->    ended, or none with a handler, which is called
/// ended    -handler->              none; it is called
/// ```
struct BackgroundTransferState: Sendable {
    /// What follows an event, in this order.
    enum Action: Hashable, Sendable {
        /// Move the file that the system has delivered beside its target; then call ``staged(_:_:)`` or
        /// ``fileFailed(_:_:)``.
        case stage(BackgroundTransferRecord)
        case store(BackgroundTransferRecord)
        /// Move the file beside its target to it; then call ``placed(_:)`` or ``fileFailed(_:_:)``.
        case place(BackgroundTransferRecord)
        case deleteStagedFile(BackgroundTransferRecord)
        case cancelTask(UUID)
        /// Tell the readers of completions.
        case announce(UUID)
        case deleteRecord(UUID)
        /// Tell the readers of changes.
        case signal
        case callHandlers
    }
    private enum Events {
        case none
        case reported
        case ended
    }

    private var records: [UUID: BackgroundTransferRecord]
    private var progress: [UUID: TransferProgress] = [:]
    /// The order in which they were started in this process; those of earlier ones are before.
    private var order: [UUID]
    /// The running ones of an earlier process, until the system has listed its tasks.
    private var unlisted: Set<UUID>
    /// Those of them without a task.
    private var missing: Set<UUID> = []
    private var events = Events.none
    private var hasHandler = false

    /// - Parameter stored: the records of earlier processes.
    init(_ stored: [BackgroundTransferRecord] = []) {
        records = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        order = stored.map(\.id)
        unlisted = Set(stored.filter { $0.phase == .running }.map(\.id))
    }

    /// All transfers whose completion is not acknowledged.
    var transfers: [BackgroundTransfer] { order.compactMap { transfer($0) } }

    /// One transfer.
    func transfer(_ id: UUID) -> BackgroundTransfer? { records[id]?.transfer(progress[id]) }

    // MARK: Relaunch

    /// Continues what an earlier process was about to do.
    func opened() -> [Action] {
        order.compactMap { records[$0] }.compactMap { if case .received = $0.phase { .place($0) } else { nil } }
    }

    /// The system has listed its tasks.
    /// - Returns: the actions, and whether to call ``waitEnded()`` later.
    mutating func listed(_ tasks: Set<UUID>) -> (actions: [Action], mustWait: Bool) {
        missing = unlisted.subtracting(tasks).filter { records[$0]?.phase == .running }
        unlisted = []
        // What has no record has no target, and none would tell the app of it.
        return (tasks.filter { records[$0] == nil }.map { .cancelTask($0) }, !missing.isEmpty)
    }

    /// No events have come of the missing ones.
    mutating func waitEnded() -> [Action] {
        defer { missing = [] }
        return order.filter(missing.contains).flatMap {
            fail($0, .lost, "The system has no task for the transfer any more; start it again.")
        }
    }

    // MARK: Events

    /// A transfer was stored, and is started now.
    mutating func started(_ record: BackgroundTransferRecord) -> [Action] {
        records[record.id] = record
        order.append(record.id)
        return [.signal]
    }

    mutating func progressed(_ id: UUID, completed: Int64, total: Int64?) -> [Action] {
        events = .reported
        guard let record = running(id) else { return [] }
        missing.remove(id)
        progress[id] = TransferProgress(record.isUpload ? .upload : .download, completed: completed, total: total)
        return [.signal]
    }

    /// The system has delivered the file of a download, which it deletes after this event.
    mutating func received(_ id: UUID, _ head: HTTPResponseHead?) -> [Action] {
        events = .reported
        guard let record = running(id), !record.isUpload else { return [] }
        guard let head else { return fail(id, .network, "The system has delivered a file without a response.") }
        if let actions = refused(record, head) { return actions }
        return [.stage(record)]
    }

    /// The delivered file is beside its target.
    mutating func staged(_ id: UUID, _ head: HTTPResponseHead) -> [Action] {
        guard var record = running(id) else { return [] }
        record.phase = .received(StoredHead(head))
        records[id] = record
        return [.store(record), .place(record)]
    }

    /// The file of a download is at its target.
    mutating func placed(_ id: UUID) -> [Action] {
        guard let record = records[id], case .received(let head) = record.phase else { return [] }
        return complete(record, .finished(head))
    }

    /// The file of a download cannot be moved.
    mutating func fileFailed(_ id: UUID, _ message: String) -> [Action] {
        guard let record = records[id], !record.isComplete else { return [] }
        return [.deleteStagedFile(record)] + fail(id, .file, message)
    }

    /// The task of a transfer has ended.
    mutating func completed(_ id: UUID, _ head: HTTPResponseHead?, _ error: TransportError?) -> [Action] {
        events = .reported
        guard let record = running(id) else { return [] }
        if let error {
            return fail(id, error.code == .cancelled ? .cancelled : .network, error.message, head?.status)
        }
        guard let head else { return fail(id, .network, "The transfer has ended without a response.") }
        if let actions = refused(record, head) { return actions }
        guard record.isUpload else {
            return fail(id, .network, "The download has ended without a file.", head.status)
        }
        return complete(record, .finished(StoredHead(head)))
    }

    mutating func cancelled(_ id: UUID) -> [Action] {
        guard running(id) != nil else { return [] }
        return fail(id, .cancelled, "The transfer was cancelled.") + [.cancelTask(id)]
    }

    /// The app has taken over a completion.
    mutating func acknowledged(_ id: UUID) -> [Action] {
        guard let record = records[id], record.isComplete else { return [] }
        (records[id], progress[id]) = (nil, nil)
        order.removeAll { $0 == id }
        return [.deleteRecord(id), .signal]
    }

    // MARK: The system's events

    /// A handler waits for the end of the system's events.
    mutating func handlerAdded() -> [Action] {
        hasHandler = true
        return events == .ended ? callHandlers() : []
    }

    /// All events were delivered.
    mutating func eventsEnded() -> [Action] {
        events = .ended
        return hasHandler ? callHandlers() : []
    }

    private mutating func callHandlers() -> [Action] {
        (events, hasHandler) = (.none, false)
        return [.callHandlers]
    }

    // MARK: Helpers

    private func running(_ id: UUID) -> BackgroundTransferRecord? {
        records[id].flatMap { $0.phase == .running ? $0 : nil }
    }

    /// Fails a transfer whose response is not kept; nil for one that is.
    private mutating func refused(_ record: BackgroundTransferRecord, _ head: HTTPResponseHead) -> [Action]? {
        guard !record.isSecure || head.url.scheme?.lowercased() == "https" else {
            return fail(
                record.id, .response, "The https request was redirected to http; use the URL of the target.",
                head.status)
        }
        return head.status.isSuccessful ? nil : fail(record.id, .response, "\(head.status)", head.status)
    }

    private mutating func fail(
        _ id: UUID, _ reason: BackgroundTransferFailure.Reason, _ message: String, _ status: HTTPStatus? = nil
    ) -> [Action] {
        guard let record = records[id] else { return [] }
        return complete(record, .failed(BackgroundTransferFailure(reason, message, status: status)))
    }

    private mutating func complete(
        _ record: BackgroundTransferRecord, _ phase: BackgroundTransferRecord.Phase
    ) -> [Action] {
        var record = record
        record.phase = phase
        records[record.id] = record
        missing.remove(record.id)
        return [.store(record), .announce(record.id), .signal]
    }
}
