import StoreCore
import Synchronization
import SystemLibraries

/// Collects the traces of a store's statements and passes them to the handler once the statement's call has ended.
///
/// The traces of each thread are kept apart until that thread delivers them, outside any lock.
final class StatementTracer: Sendable {
    private struct State {
        var pending: [ThreadIdentity: [SQLiteStore.StatementTrace]] = [:]
        /// Threads in the handler; their statements are not traced.
        var delivering: Set<ThreadIdentity> = []
    }

    private let state = Mutex(State())
    private let handler: @Sendable (SQLiteStore.StatementTrace) -> Void
    private let now: @Sendable () -> Duration

    /// - Parameter now: a monotonic time; default that of `ContinuousClock` since this object was created.
    init(
        _ handler: @escaping @Sendable (SQLiteStore.StatementTrace) -> Void, now: (@Sendable () -> Duration)? = nil
    ) {
        self.handler = handler
        let start = ContinuousClock.now
        self.now = now ?? { start.duration(to: .now) }
    }

    /// Runs `body` and records it as one run of a statement, also when it throws.
    /// - Parameter body: receives the number of rows, which it sets.
    fileprivate func measure<Result>(_ sql: String, _ body: (inout Int) throws -> Result) rethrows -> Result {
        var rowCount = 0
        let start = now()
        defer { record(SQLiteStore.StatementTrace(sql: sql, duration: now() - start, rowCount: rowCount)) }
        return try body(&rowCount)
    }

    private func record(_ trace: SQLiteStore.StatementTrace) {
        let me = ThreadIdentity.current
        state.withLock { state in
            if !state.delivering.contains(me) { state.pending[me, default: []].append(trace) }
        }
    }

    /// Passes the traces of the current thread to the handler. Call it outside any lock.
    func deliver() {
        let me = ThreadIdentity.current
        let traces = state.withLock { state in
            let traces = state.pending.removeValue(forKey: me) ?? []
            if !traces.isEmpty { state.delivering.insert(me) }
            return traces
        }
        guard !traces.isEmpty else { return }
        for trace in traces { handler(trace) }
        state.withLock { _ = $0.delivering.remove(me) }
    }
}

/// Redacted text of a statement, and the tracer that receives its runs.
struct TracedStatement: Sendable {
    private let sql: String
    private let tracer: StatementTracer

    /// - Parameter names: the names that are shown in double quotes.
    init(_ sql: String, _ tracer: StatementTracer, names: SchemaNames) {
        self.sql = SQLRedaction.redact(sql, isName: names.contains)
        self.tracer = tracer
    }

    /// Runs `body` and records it; see ``StatementTracer``.
    func measure<Result>(_ body: (inout Int) throws -> Result) rethrows -> Result {
        try tracer.measure(sql, body)
    }
}
