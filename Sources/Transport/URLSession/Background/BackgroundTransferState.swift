import Foundation
import HTTPMessages

/// The state machine of the transfers of one background session, without I/O.
///
/// ```
/// running   -file of a response 2xx->  receiving
/// receiving -file moved beside its target->  received
/// running, receiving -complete with another status, with an error, cancelled, lost->  failed
/// running   -upload complete with a status 2xx->  finished
/// received  -file moved to its target->  finished
/// receiving, received -file cannot be moved->  failed
/// finished, failed -acknowledged->  removed
/// ```
///
/// All other events change nothing, so each transfer completes once: the system may report an end twice, and one that
/// comes after a cancellation. Each change is stored before it has an effect: a completion that cannot be stored, such
/// as on a full disk, is not announced, and is tried again. Of a transfer that the system does not list after a
/// relaunch, the end may still be reported; it is lost only when that has not come within a while.
///
/// An end of the system's events calls the handlers that wait, or one that comes soon after it.
struct BackgroundTransferState: Sendable {
    /// What follows an event, in this order.
    enum Action: Hashable, Sendable {
        /// Look for the file beside its target; then call ``staged(_:_:)`` if it is there and complete.
        case findStagedFile(BackgroundTransferRecord)
        /// Move the file that the system has delivered beside its target; then call ``staged(_:_:)`` or
        /// ``fileFailed(_:_:isTransient:)``.
        case stage(BackgroundTransferRecord)
        /// Store the record; then call ``stored(_:)`` or ``storingFailed()``.
        case store(BackgroundTransferRecord)
        /// Move the file beside its target to it; then call ``placed(_:)`` or ``fileFailed(_:_:isTransient:)``.
        case place(BackgroundTransferRecord, StoredFile)
        case deleteStagedFile(BackgroundTransferRecord)
        case cancelTask(UUID)
        /// Tell the readers of completions.
        case announce(UUID)
        case deleteRecord(UUID)
        /// Tell the readers of changes.
        case signal
        case callHandlers
        /// Call ``retried()`` after a while.
        case retryLater
    }

    /// How long after an end of the system's events a handler may come for it.
    static let handlerDelay = Duration.seconds(10)

    private var records: [UUID: BackgroundTransferRecord]
    /// The next state of some records, which cannot be stored yet.
    private var unstored: [UUID: BackgroundTransferRecord] = [:]
    /// Transfers whose record cannot be read; their tasks go on.
    private let unreadable: Set<UUID>
    /// The names of fields that are not stored.
    private let secrets: RedirectPolicy
    private var progress: [UUID: TransferProgress] = [:]
    /// The order in which they were started in this process; those of earlier ones are before.
    private var order: [UUID]
    /// The running ones of an earlier process, until the system has listed its tasks.
    private var unlisted: Set<UUID>
    /// Those of them without a task.
    private var missing: Set<UUID> = []
    /// The last end of the system's events that no handler was called for.
    private var eventsEnd: Duration?
    private var hasHandler = false
    private var isRetrying = false

    /// - Parameters:
    ///   - stored: the records of earlier processes.
    ///   - unreadable: those that exist, and have another format.
    ///   - secrets: the names of fields that are not stored.
    init(
        _ stored: [BackgroundTransferRecord] = [], unreadable: Set<UUID> = [], secrets: RedirectPolicy = .standard
    ) {
        (self.unreadable, self.secrets) = (unreadable, secrets)
        records = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        order = stored.map(\.id)
        unlisted = Set(stored.filter(\.isRunning).map(\.id))
    }

    /// All transfers whose completion is not acknowledged.
    var transfers: [BackgroundTransfer] { order.compactMap { transfer($0) } }

    /// One transfer.
    func transfer(_ id: UUID) -> BackgroundTransfer? { records[id]?.transfer(progress[id]) }

    // MARK: Relaunch

    /// Continues what an earlier process was about to do.
    func opened() -> [Action] {
        order.compactMap { records[$0] }.compactMap { record in
            switch record.phase {
            case .receiving: .findStagedFile(record)
            case .received(_, let file): .place(record, file)
            // The process may have been killed before it could do that.
            case .failed: record.isUpload ? nil : .deleteStagedFile(record)
            case .running, .finished: nil
            }
        }
    }

    /// The system has listed its tasks.
    /// - Returns: the actions, and whether to call ``waitEnded()`` later.
    mutating func listed(_ tasks: Set<UUID>) -> (actions: [Action], mustWait: Bool) {
        missing = unlisted.subtracting(tasks).filter { running($0) != nil }
        unlisted = []
        // What has no record has no target, and none would tell the app of it. One that is complete was cancelled by a
        // process that was killed before the system had done it.
        let cancelled = tasks.filter { records[$0]?.isComplete ?? !unreadable.contains($0) }
        return (cancelled.map { .cancelTask($0) }, !missing.isEmpty)
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
        guard let record = running(id) else { return [] }
        missing.remove(id)
        progress[id] = TransferProgress(record.isUpload ? .upload : .download, completed: completed, total: total)
        return [.signal]
    }

    /// The system has delivered the file of a download, which it deletes after this event.
    mutating func received(_ id: UUID, _ head: HTTPResponseHead?, size: Int64) -> [Action] {
        guard var record = running(id), !record.isUpload else { return [] }
        guard let head else { return fail(id, .network, "The system has delivered a file without a response.") }
        if let actions = refused(record, head) { return actions }
        record.phase = .receiving(StoredHead(head, secrets), size: size)
        // Also if it cannot be stored: the system keeps the file for this event only.
        records[id] = record
        return [.store(record), .stage(record)]
    }

    /// The delivered file is beside its target.
    mutating func staged(_ id: UUID, _ file: StoredFile) -> [Action] {
        guard let record = running(id), case .receiving(let head, _) = record.phase else { return [] }
        return change(record, to: .received(head, file))
    }

    /// The file of a download is at its target.
    mutating func placed(_ id: UUID) -> [Action] {
        guard let record = records[id], unstored[id] == nil, case .received(let head, _) = record.phase else {
            return []
        }
        return change(record, to: .finished(head))
    }

    /// The file of a download cannot be moved.
    /// - Parameter isTransient: true if it is tried again, as on a full disk.
    mutating func fileFailed(_ id: UUID, _ message: String, isTransient: Bool = false) -> [Action] {
        guard let record = records[id], unstored[id] == nil, !record.isComplete else { return [] }
        return isTransient ? retryLater() : fail(id, .file, message)
    }

    /// The task of a transfer has ended.
    mutating func completed(_ id: UUID, _ head: HTTPResponseHead?, _ error: TransportError?) -> [Action] {
        guard let record = running(id) else { return [] }
        if let error {
            return fail(id, error.code == .cancelled ? .cancelled : .network, error.message, head?.status)
        }
        guard let head else { return fail(id, .network, "The transfer has ended without a response.") }
        if let actions = refused(record, head) { return actions }
        guard record.isUpload else {
            return fail(id, .network, "The download has ended without a file.", head.status)
        }
        return change(record, to: .finished(StoredHead(head, secrets)))
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

    // MARK: Storing

    /// A record is stored as it is now.
    mutating func stored(_ record: BackgroundTransferRecord) -> [Action] {
        guard unstored[record.id] == record else { return [] }
        unstored[record.id] = nil
        records[record.id] = record
        switch record.phase {
        case .running, .receiving: return []
        case .received(_, let file): return [.place(record, file)]
        case .finished: return [.announce(record.id), .signal]
        case .failed: return [.announce(record.id), .signal] + (record.isUpload ? [] : [.deleteStagedFile(record)])
        }
    }

    /// A record cannot be stored now.
    mutating func storingFailed() -> [Action] { retryLater() }

    private mutating func retryLater() -> [Action] {
        defer { isRetrying = true }
        return isRetrying ? [] : [.retryLater]
    }

    /// Tries again what was not possible.
    mutating func retried() -> [Action] {
        isRetrying = false
        return order.compactMap { id in
            if let record = unstored[id] { return .store(record) }
            if let record = records[id], case .received(_, let file) = record.phase { return .place(record, file) }
            return nil
        }
    }

    // MARK: The system's events

    /// A handler waits for the end of the system's events, or has come soon after it.
    mutating func handlerAdded(at now: Duration) -> [Action] {
        hasHandler = true
        // An older end is of events that came without a handler, as those in the foreground.
        return eventsEnd.map { now - $0 <= Self.handlerDelay } == true ? callHandlers() : []
    }

    /// All events were delivered.
    mutating func eventsEnded(at now: Duration) -> [Action] {
        eventsEnd = now
        return hasHandler ? callHandlers() : []
    }

    private mutating func callHandlers() -> [Action] {
        (eventsEnd, hasHandler) = (nil, false)
        return [.callHandlers]
    }

    // MARK: Helpers

    private func running(_ id: UUID) -> BackgroundTransferRecord? {
        records[id].flatMap { $0.isRunning && unstored[id] == nil ? $0 : nil }
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
        return change(record, to: .failed(BackgroundTransferFailure(reason, message, status: status)))
    }

    private mutating func change(
        _ record: BackgroundTransferRecord, to phase: BackgroundTransferRecord.Phase
    ) -> [Action] {
        var record = record
        record.phase = phase
        unstored[record.id] = record
        missing.remove(record.id)
        return [.store(record)]
    }
}
