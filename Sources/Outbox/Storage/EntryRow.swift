import DeltaSync
import Foundation
import HTTPMessages
import Queueing
import StoreCore

/// One row of the table of entries.
struct EntryRow: Hashable, Sendable {
    /// What the row does. The numbers are stored.
    enum Phase: Int64, Hashable, Sendable {
        /// It was added, and the sender has not looked at its key yet; see ``EntryTable/admit(limit:)``.
        case added = -1
        /// An earlier entry of its key is in the way.
        case blocked = 0
        /// It may be sent.
        case ready = 1
        /// ``EntryRow/sender`` is sending it.
        case sending = 2
        case failed = 3
        /// It is sent again at ``EntryRow/due``.
        case delayed = 4
    }

    /// The number of times that a 409 is taken for an earlier attempt in progress.
    static let doubt: Int64 = 4

    var number: Int64
    var idempotencyKey: String
    /// Empty for no user.
    var user: String
    var key: String?
    var name: String
    var phase: Phase
    var created: Int64
    var expires: Int64?
    var due: Int64?
    var attempts: Int64
    /// Not zero while the server may have processed an attempt without a response; see ``EntryRow/doubt``.
    ///
    /// Negative once no further 409 is taken for that attempt in progress.
    var doubt: Int64
    /// The sender that is sending it.
    var sender: String?
    var failure: OutboxFailure?
    var request: StoredRequest
    /// The number of conflicts that ended with another request; see ``sentKey``.
    var resolutions: Int64 = 0
    /// What the request sends of rows, read when it is claimed; not stored with it.
    var edits: [PendingEdit] = []

    var id: OutboxEntry.ID { OutboxEntry.ID(number: number, idempotencyKey: idempotencyKey) }

    /// The Idempotency-Key to send: a changed request needs another one, but the entry keeps its identity.
    var sentKey: String { id.sentKey(resolutions) }

    /// True for the first entry of its key.
    var isFirst: Bool { phase != .blocked && phase != .added }

    /// A layer below the outbox has made an attempt without a response. An earlier doubt stays as it is.
    mutating func noteLostAttempt() { if doubt == 0 { doubt = Self.doubt } }

    /// What the app sees.
    var entry: OutboxEntry {
        let state: OutboxEntry.State =
            switch phase {
            case .added, .blocked, .ready, .delayed: .waiting
            case .sending: .sending
            case .failed: .failed
            }
        return OutboxEntry(
            id: id, state: state, key: key, name: name, user: user.isEmpty ? nil : user, method: request.method,
            url: request.url, priority: RequestPriority(level: request.priority), created: Date(milliseconds: created),
            expires: expires.map { Date(milliseconds: $0) }, attempts: Int(attempts), isOutcomeUnknown: doubt != 0,
            mayBeInProgress: doubt > 0, resolutions: resolutions, failure: failure)
    }
}

extension Date {
    /// A wall clock time as it is stored.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Milliseconds since 1970; those of a date too far away are cut.
    var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: max(-1e15, min(1e15, milliseconds.isNaN ? 0 : milliseconds))) ?? 0
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var milliseconds: Int64 { Int64(min((self / .milliseconds(1)).rounded(.up), 1e15)) }
}
