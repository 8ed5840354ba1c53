public import Foundation
public import HTTPMessages
public import StoreCore
import Synchronization

/// Keeps calls, their events and the start of their bodies in a local store.
///
/// ```swift
/// let log = try LogStore(SQLiteStore(.file("calls.sqlite")))
/// let monitor = EventMonitor([.store(log)])
/// let failed = try log.search(LogQuery(failedOnly: true))
/// ```
///
/// A call is written when it ends, together with others, on the monitor's thread. What is secret is replaced before.
/// Calls that are too old, and the oldest ones beyond the size, are deleted meanwhile. The tables `call_log` and
/// `call_log_event` are made in the store; other tables may stand beside them.
public final class LogStore: Sendable {
    /// How long calls are kept.
    public struct Retention: Hashable, Sendable {
        /// The age from which a call is deleted; default seven days.
        public var age: Duration
        /// The approximate bytes of all calls from which the oldest ones are deleted; default 16 MiB.
        public var bytes: Int

        /// Creates limits.
        public init(age: Duration = .seconds(7 * 86_400), bytes: Int = 16 << 20) {
            self.age = age
            self.bytes = bytes
        }
    }

    /// The most events of a call that are kept, beside its end.
    private static let eventsPerCall = 1000

    private struct State {
        /// The events of calls that have not ended.
        var running: [ObjectIdentifier: [CallEvent]] = [:]
        /// The calls to write.
        var ended: [LogRecord] = []
        /// The number of the last ``removeAll()`` on the process' clock of sign-outs; 0 before the first one.
        var lastRemoval = 0
        /// The contents of the tables after the last write; nil before it.
        var contents: LogTables.Contents?
        var failure: (any Error)?
        var failedCalls = 0
    }

    let store: any LocalStore
    private let retention: Retention
    private let redaction: Redaction
    /// The most bytes of each body.
    public let bodyLimit: Int
    private let date: @Sendable () -> Date
    private let state = Mutex(State())

    /// Makes the tables, unless they exist.
    /// - Parameters:
    ///   - bodyLimit: the most bytes of each body that are kept, if it is text; 0 keeps none.
    ///   - redaction: the names whose values are not written.
    ///   - date: the wall clock, for the age of calls.
    /// - Throws: `StoreError`.
    public init(
        _ store: some LocalStore, retention: Retention = Retention(), bodyLimit: Int = 4096,
        redaction: Redaction = .standard, date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.store = store
        self.retention = retention
        self.bodyLimit = max(0, bodyLimit)
        self.redaction = redaction
        self.date = date
        try LogTables.create(in: store)
    }

    /// The number of calls that could not be written; ``lastFailure`` has the last error.
    public var failedCalls: Int { state.withLock(\.failedCalls) }

    /// The error of the last calls that could not be written; nil if all could.
    public var lastFailure: (any Error)? { state.withLock(\.failure) }

    /// Deletes all calls, also those in flight: a call that began before is not written when it ends, nor are its
    /// further parts, such as the rest of a download.
    /// - Throws: `StoreError`.
    public func removeAll() throws {
        // Not by the wall clock, which the system may set back.
        state.withLock { $0.lastRemoval = SignOutClock.tick() }
        try store.transaction {
            try store.execute("DELETE FROM call_log_event", [])
            try store.execute("DELETE FROM call_log", [])
        }
    }

    /// Deletes the calls beyond the retention; also done after each write.
    /// - Throws: `StoreError`.
    public func trim() throws {
        state.withLock { $0.contents = nil }
        try write { try LogTables.trim(store, retention, now: date(), &$0) }
    }

    /// Changes the tables in a transaction, and remembers their contents.
    private func write(_ change: (inout LogTables.Contents) throws -> Void) throws {
        let contents = try store.transaction {
            var contents = try LogTables.contents(of: store, known: state.withLock(\.contents))
            try change(&contents)
            return try LogTables.contents(of: store, bytes: contents.bytes)
        }
        state.withLock { $0.contents = contents }
    }
}

extension LogStore: EventReceiver {
    /// Takes an event; a call is kept when it has ended.
    public func receive(_ event: CallEvent) {
        let id = ObjectIdentifier(event.call)
        state.withLock { state in
            if case .ended(let end) = event.kind {
                let events = (state.running.removeValue(forKey: id) ?? []) + [event]
                state.ended.append(LogRecord(event.call, events, end, redaction, bodyLimit: bodyLimit))
            } else if !event.kind.isProgress, state.running[id]?.count ?? 0 < Self.eventsPerCall {
                state.running[id, default: []].append(event)
            }
        }
    }

    /// Writes the calls that have ended.
    public func flush() {
        let records = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        guard !records.isEmpty else { return }
        do {
            try write { contents in
                // Read in the transaction: what is written before a removal, it deletes.
                let lastRemoval = state.withLock(\.lastRemoval)
                try LogTables.insert(records.filter { $0.lastSignOut >= lastRemoval }, into: store, &contents)
                try LogTables.trim(store, retention, now: date(), &contents)
            }
        } catch {
            state.withLock { state in
                state.contents = nil
                state.failure = error
                state.failedCalls += records.count
            }
        }
    }
}

extension CallEvent.Kind {
    /// True for numbers of bytes, of which the end has the last ones.
    fileprivate var isProgress: Bool {
        switch self {
        case .sent, .body: true
        default: false
        }
    }
}

extension EventSink {
    /// Keeps calls in a local store.
    public static func store(_ log: LogStore) -> EventSink { EventSink(log) }
}
