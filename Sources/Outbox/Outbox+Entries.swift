import DeltaSync
import Foundation
public import HTTPMessages
import StoreCore

extension Outbox {
    /// The entries of the current user and of no user that have failed, in their order.
    ///
    /// Each holds back its key until it is retried, edited or discarded.
    public var failures: [OutboxEntry] {
        get throws { try table.failedRows(of: sender.users).map(\.entry) }
    }

    /// The entries of the current user and of no user that have not failed, in their order.
    /// - Parameter limit: the most entries; default 1000.
    public func entries(limit: Int = 1000) throws -> [OutboxEntry] {
        try table.unfailedRows(of: sender.users, limit: limit).map(\.entry)
    }

    /// The entry with an identity; nil once it is done or discarded.
    public func entry(_ id: OutboxEntry.ID) throws -> OutboxEntry? { try table.row(id)?.entry }

    /// Sends a failed entry again, with the same Idempotency-Key, and without a wait if it is delayed.
    ///
    /// A server may have stored its refusal under the key, and repeat it; then edit the entry, which changes the key.
    /// - Parameter lifetime: the time from now after which it is not sent any more; default nil: as it was, but without
    ///   an end if it has expired.
    /// - Throws: ``OutboxError`` (`noSuchEntry`, `damaged`); `StoreError`.
    public func retry(_ id: OutboxEntry.ID, expiresAfter lifetime: Duration? = nil) throws {
        try change(id) { row in
            guard row.phase == .failed || row.phase == .delayed else { return false }
            guard row.failure?.reason != .damaged else { throw OutboxError.damaged }
            let now = date().milliseconds
            row.removeExpiry(before: now)
            (row.phase, row.due) = (.ready, nil)
            if let lifetime { row.expires = now + lifetime.milliseconds }
            try table.updateExpiry(row)
            try table.updateProgress(row)
            return true
        }
    }

    /// Changes the request of an entry, and sends it in the entry's place.
    ///
    /// An entry that has expired has no end then, as after a retry. Local edits that it sends stay as
    /// they are; discard it and add another one to change them too. The changed request gets a new Idempotency-Key,
    /// since servers refuse one key with two contents.
    /// - Parameter change: changes the request; its body can be read and replaced.
    /// - Returns: the identity of the changed entry.
    /// - Throws: ``OutboxError``: `inFlight` while it is being sent; `outcomeUnknown` if a server may have processed
    ///   it: retry or discard it then; `noSuchEntry`, `damaged`, and as ``add(_:key:as:expiresAfter:)``. Errors of
    ///   `change`.
    @discardableResult
    public func edit(_ id: OutboxEntry.ID, _ change: (inout HTTPRequest) throws -> Void) throws -> OutboxEntry.ID {
        var changed = id
        try self.change(id) { row in
            guard row.phase != .sending else {
                throw OutboxError(.inFlight, "Entry is being sent; edit it after that has ended.")
            }
            guard row.doubt == 0 else {
                throw OutboxError(
                    .outcomeUnknown,
                    "Server may have processed the entry, so a changed one could act twice; retry or discard it.")
            }
            var request: HTTPRequest
            do {
                request = try row.request.request(
                    idempotencyKey: row.sentKey, files: options.files, maximumResponseBytes: .max)
            } catch is StoredRequest.Damage {
                throw OutboxError.damaged
            }
            try change(&request)
            // One that the app has set counts.
            let own = request.fields[.idempotencyKey]
            let key = own == row.sentKey ? nil : own
            let old = row
            row.idempotencyKey = key ?? makeIdempotencyKey()
            row.request = try StoredRequest(request, options, sender.rule)
            (row.attempts, row.resolutions, row.failure, row.due) = (0, 0, nil, nil)
            row.removeExpiry(before: date().milliseconds)
            if row.phase == .failed || row.phase == .delayed { row.phase = .ready }
            checkFile(of: old)
            checkFile(of: row)
            try table.replace(row)
            changed = row.id
            return true
        }
        return changed
    }

    /// Removes an entry that is not sent any more, in the transaction of the caller if there is one.
    ///
    /// The next entry of its key follows. A server may have processed it, if ``OutboxEntry/isOutcomeUnknown``.
    /// - Throws: ``OutboxError``: `inFlight` while it is being sent; `noSuchEntry`. `StoreError`.
    public func discard(_ id: OutboxEntry.ID) throws {
        try change(id) { row in
            guard row.phase != .sending else {
                throw OutboxError(.inFlight, "Entry is being sent; discard it after that has ended.")
            }
            checkFile(of: row)
            try table.remove(row)
            try PendingEdits.existing(in: store)?.discard(id.editID)
            return true
        }
    }

    var table: EntryTable { EntryTable(store: store) }

    /// Changes an entry of the current user, or of no user.
    func change(_ id: OutboxEntry.ID, _ body: (inout EntryRow) throws -> Bool) throws {
        let users = sender.users
        let hasChanged = try store.transaction {
            guard var row = try table.row(id), users.contains(row.user) else {
                throw OutboxError(
                    .noSuchEntry, "No such entry: it was sent or discarded meanwhile, or belongs to another user.")
            }
            return try body(&row)
        }
        if hasChanged { wake() }
    }
}

extension EntryRow {
    /// An entry that has expired has no end when it is sent again.
    fileprivate mutating func removeExpiry(before now: Int64) {
        if let time = expires, time <= now { expires = nil }
    }
}

extension OutboxError {
    static let damaged = OutboxError(.damaged, "Stored request of the entry is damaged; discard it.")
}
