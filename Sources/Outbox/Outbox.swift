public import Connectivity
import Coordination
import DeltaSync
public import Foundation
public import HTTPMessages
public import Queueing
public import StoreCore
import Synchronization
public import Transport

/// Requests in a store, which are sent when there is a network, also after a relaunch.
///
/// ```swift
/// let outbox = try Outbox(in: store, over: stack, waitingFor: .system)
/// try store.transaction {                        // the row and its request, or neither
///     try store.upsert(order, into: "order")
///     try outbox.add(request, key: order.id, as: "save order")
/// }
/// ```
///
/// *Order.* Entries of one key are sent in the order in which they were added; entries of other keys beside them, those
/// with a higher priority first. An entry without a key is independent. Add the upload of an attachment before the
/// request that names it, with the same key.
///
/// *Once.* Each entry has an `Idempotency-Key`, which all attempts carry. A server that honors it acts once, even if
/// the process is killed between its response and the removal of the entry. Other servers may act twice then.
///
/// *Secrets* are not stored: a request with `Authorization`, `Cookie` or another secret field, with a secret query
/// value, or with `hasSecretBody`, is refused (``OutboxOptions/redaction``). Let the layers of the transport add them
/// when it is sent. Other bodies are stored as they are: put no secret into one, or encrypt the store.
///
/// *Processes.* Several outboxes, also of several processes, may use one store. One of them sends at a time. Each must
/// add and change entries through its own instance of the store.
///
/// *Kept* of a request are the method, the URL, the fields, the body and the priority. Other options are not. A request
/// with one that it must not be sent without is refused: `redirectPolicy`, `skipsAuthorization`, `usesCookies`,
/// `unixSocketPath`, `nameOverrides`, `trailers`. Let a layer of the transport set it.
///
/// Sending begins at once, and ends when the outbox is released. All methods may be called on any thread.
public final class Outbox: Sendable {
    /// The longest key, name and user, in bytes of UTF-8.
    public static let maximumNameBytes = 1024

    /// The store of the entries.
    public let store: any LocalStore
    let options: OutboxOptions
    let sender: Sender
    let date: @Sendable () -> Date
    let makeIdempotencyKey: @Sendable () -> String
    private let network: NetworkSubscription?

    /// Opens the outbox of a store, and creates it in a new one.
    /// - Parameters:
    ///   - store: keeps the entries, in tables whose names begin with `patchbay_outbox`.
    ///   - transport: sends them, with the layers that add credentials. Layers that retry are not needed.
    ///   - network: pauses the outbox while there is no network (`PauseReason.offline`); the form without it
    ///     always tries.
    ///   - user: the user that is signed in; see ``signIn(as:)``.
    ///   - clock: measures backoffs and the lease.
    ///   - date: the wall clock, for expiry and for times that survive the process.
    ///   - idempotencyKey: makes the key of an entry whose request has none.
    /// - Throws: `StoreError`; ``OutboxError`` (`newerFormat`).
    public convenience init(
        in store: any LocalStore, over transport: some Transport, waitingFor network: some NetworkMonitor,
        user: String? = nil, options: OutboxOptions = OutboxOptions(), clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        idempotencyKey: @escaping @Sendable () -> String = { UUID().uuidString }
    ) throws {
        try self.init(store, transport, network, user, options, AnyMonotonicClock(clock), date, idempotencyKey)
    }

    /// Opens the outbox of a store, which does not ask whether there is a network.
    /// - Throws: as the other initializer.
    public convenience init(
        in store: any LocalStore, over transport: some Transport, user: String? = nil,
        options: OutboxOptions = OutboxOptions(), clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        idempotencyKey: @escaping @Sendable () -> String = { UUID().uuidString }
    ) throws {
        try self.init(store, transport, nil, user, options, AnyMonotonicClock(clock), date, idempotencyKey)
    }

    private init(
        _ store: any LocalStore, _ transport: any Transport, _ network: (any NetworkMonitor)?, _ user: String?,
        _ options: OutboxOptions, _ clock: AnyMonotonicClock, _ date: @escaping @Sendable () -> Date,
        _ idempotencyKey: @escaping @Sendable () -> String
    ) throws {
        try user.map { try Self.check($0, "User") }
        self.store = store
        self.options = options
        self.date = date
        makeIdempotencyKey = idempotencyKey
        try StateTable(store: store).open()
        if case .copied(let folder) = options.files { try Self.removeUnusedFiles(in: folder, of: store) }
        let sender = Sender(
            store: store, transport: transport, options: options, owner: UUID().uuidString,
            users: user.map { $0.isEmpty ? [""] : ["", $0] } ?? [""], clock: clock, date: date,
            random: { Double.random(in: 0..<1) })
        self.sender = sender
        self.network = network.map { network in
            let follow: @Sendable () -> Void = {
                // Until the state is still the one that was applied: another thread may apply an older one meanwhile.
                var isReachable: Bool
                repeat {
                    isReachable = network.isReachable
                    sender.update { [isReachable] in
                        if isReachable { $0.resume(.offline) } else { $0.pause(.offline) }
                    }
                } while isReachable != network.isReachable
                sender.changes.signal()
            }
            let subscription = network.subscribe { _ in follow() }
            follow()
            return subscription
        }
        sender.start()
    }

    deinit { sender.cancelAndStop() }

    /// Stops sending, and returns once nothing is in flight and another outbox may send.
    ///
    /// Requests in flight are cancelled; their entries stay, and are sent by the next outbox. The store stays open. A
    /// layer of the transport, or a task that it starts, may call it while an entry is sent: it does not wait for that
    /// entry, after which another outbox may send. A task that the calls of several entries wait for may call it if
    /// each of them stops waiting once it is cancelled.
    public func close() async { await sender.stop() }

    // MARK: Adding

    /// Adds a request, in the transaction of the caller if there is one.
    ///
    /// Call it on the thread of the transaction, like the other calls to the store there.
    /// - Parameters:
    ///   - key: the entries with this key are sent in order, such as the ID of a record; at most 1024 bytes of text.
    ///   - name: a name for status and logs, which also tells ``responses`` apart.
    ///   - lifetime: the time after which it is not sent any more, by the wall clock; default nil: never.
    /// - Returns: the identity of the entry.
    /// - Throws: ``OutboxError``, see its codes; `StoreError`, after which the transaction should be rolled back;
    ///   `HTTPMessageError` for a file that cannot be read; `TransportError` (`unsupported`) for an option that is not
    ///   kept.
    @discardableResult
    public func add(
        _ request: HTTPRequest, key: some CustomStringConvertible, as name: String,
        expiresAfter lifetime: Duration? = nil
    ) throws -> OutboxTicket {
        try add(request, key: key.description as String?, as: name, expiresAfter: lifetime)
    }

    /// Adds a request that is independent of all others, in the transaction of the caller if there is one.
    /// - Throws: as the other form.
    @discardableResult
    public func add(
        _ request: HTTPRequest, as name: String, expiresAfter lifetime: Duration? = nil
    ) throws -> OutboxTicket {
        try add(request, key: nil, as: name, expiresAfter: lifetime)
    }

    func add(
        _ request: HTTPRequest, key: String?, as name: String, expiresAfter lifetime: Duration?,
        editing edits: [RowEdit] = []
    ) throws -> OutboxTicket {
        try key.map { try Self.check($0, "Key") }
        try Self.check(name, "Name")
        guard lifetime.map({ $0 > .zero }) ?? true else {
            throw OutboxError(.expired, "Entry would have expired already; use a lifetime of more than 0.")
        }
        let idempotencyKey = request.fields[.idempotencyKey] ?? makeIdempotencyKey()
        try Self.check(idempotencyKey, "Idempotency-Key")
        let now = date().milliseconds
        let (user, removals) = sender.addingUser
        let pending = try edits.isEmpty ? nil : PendingEdits(in: store, user: user)
        let isCopied = options.folder(toCopy: request.body) != nil
        // Before the transaction, since code of the app may read the body.
        let stored = try isCopied ? nil : StoredRequest(request, options, sender.rule)
        func insert() throws -> OutboxTicket {
            guard sender.removals(of: user) == removals else {
                throw OutboxError(
                    .noSuchEntry,
                    "User has signed out meanwhile, with the removal of all entries; if the request is still wanted, "
                        + "add it after the next sign-in.")
            }
            let row = EntryRow(
                number: 0, idempotencyKey: idempotencyKey, user: user, key: key, name: name, phase: .added,
                created: now, expires: lifetime.map { now + $0.milliseconds }, due: nil, attempts: 0, doubt: 0,
                sender: nil, failure: nil,
                request: try stored ?? StoredRequest(request, options, sender.rule))
            // Unused if the caller's transaction is rolled back.
            checkFile(of: row)
            let ticket = try add(row, request, edits)
            guard ticket.outcome != .dropped else { return ticket }
            for edit in edits { try pending?.add(edit, id: ticket.id.editID) }
            return ticket
        }
        // One statement is a transaction by itself. For a user there is another step: the look at the removals.
        let isOneStatement = user.isEmpty && edits.isEmpty && options.collapsing == nil && !isCopied
        let ticket = try isOneStatement ? insert() : store.transaction { try insert() }
        wake()
        return ticket
    }

    private func add(_ row: EntryRow, _ request: HTTPRequest, _ edits: [RowEdit]) throws -> OutboxTicket {
        let entries = EntryTable(store: store)
        if let key = row.key, let rule = options.collapsing {
            // Those that are not admitted have no index of their keys.
            try entries.admit()
            if let last = try entries.last(of: key, user: row.user), last.isUntouched,
                let ticket = try collapse(last, row, edits, rule(last.entry, request))
            {
                return ticket
            }
        }
        var row = row
        row.number = try entries.add(row)
        return OutboxTicket(id: row.id, outcome: .added)
    }

    /// - Returns: nil if both are kept.
    private func collapse(
        _ last: EntryRow, _ row: EntryRow, _ edits: [RowEdit], _ collapse: OutboxCollapse
    ) throws -> OutboxTicket? {
        let entries = EntryTable(store: store)
        switch collapse {
        case .keepBoth: return nil
        case .replaceEntry:
            // An edit that the new request does not send would count as sent with it.
            guard try PendingEdits.existing(in: store)?.covers(edits, id: last.id.editID) ?? true else { return nil }
            var row = row
            (row.number, row.phase) = (last.number, last.phase)
            try entries.replace(row)
            checkFile(of: last)
            return OutboxTicket(id: row.id, outcome: .replaced)
        case .dropBoth:
            try entries.remove(last)
            try PendingEdits.existing(in: store)?.discard(last.id.editID)
            checkFile(of: last)
            return OutboxTicket(id: last.id, outcome: .dropped)
        }
    }

    // MARK: Control

    /// Sends no further entries until ``resume(_:)`` with the same reason. Pauses with one reason do not nest.
    public func pause(_ reason: PauseReason = .manual) {
        sender.update { $0.pause(reason) }
        sender.changes.signal()
    }

    /// Removes a pause reason; sending continues once none is left.
    public func resume(_ reason: PauseReason = .manual) {
        sender.update { $0.resume(reason) }
        sender.changes.signal()
    }

    /// Tries again at once to send to servers that did not respond, and entries that another process has added.
    public func sendNow() { sender.update { $0.sendNow() } }

    /// Continues the sender after a change of the tables, and tells the readers of the status.
    func wake() {
        sender.update { $0.wake() }
        sender.changes.signal()
    }

    static func check(_ name: String, _ kind: String) throws(OutboxError) {
        guard name.utf8.count <= maximumNameBytes else {
            throw OutboxError(
                .nameTooLong, "\(kind) has \(name.utf8.count) bytes; use at most \(maximumNameBytes), such as a hash.")
        }
    }

    // MARK: Files

    /// Deletes the copied body of an entry if no entry has it after the transaction of the caller.
    func checkFile(of row: EntryRow) {
        guard case .file(let path, _, true) = row.request.body else { return }
        sender.update { $0.checkFile(path) }
    }

    /// Deletes the copies that no entry has: a kill, or a rolled back transaction, has left them.
    ///
    /// In a transaction, since the copies of other processes are made in theirs.
    private static func removeUnusedFiles(in folder: URL, of store: any LocalStore) throws {
        let paths = BodyFile.paths(in: folder)
        guard !paths.isEmpty else { return }
        try store.transaction {
            // By name: the folder may have another path now.
            let used = try Set(EntryTable(store: store).paths().map(BodyFile.name))
            for path in BodyFile.paths(in: folder) where !used.contains(BodyFile.name(path)) { BodyFile.delete(path) }
        }
    }
}

extension EntryRow {
    /// True if no server can have seen it: it may be replaced or dropped.
    fileprivate var isUntouched: Bool { attempts == 0 && doubt == 0 && (phase == .blocked || phase == .ready) }
}
