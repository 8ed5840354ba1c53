import Foundation
import StoreCore
import Synchronization
import SystemLibraries

/// Copies the write-ahead log to the file in the background, on a connection of its own.
///
/// ```
/// idle     -commit, the log has grown enough-> copying     beside the writer
/// copying  -done->                             idle
/// copying  -interrupted->                      idle        the next commit starts it again
/// copying  -the log is long, not all of it copied; error-> finishing
/// finishing-each commit->                      finishing   it copies what was written meanwhile
/// finishing-the log has begun again->          idle
/// any      -close, checkpoint of the app->     paused      the copy ends
/// ```
final class LogCheckpointer: Sendable {
    private struct State {
        /// The pages of the log from which it is copied again.
        var next: Int
        /// The pages of the log after the last commit.
        var last = 0
        var isCopying = false
        /// True while commits copy, so that the log begins again: it does so only when all of it was copied.
        var isFinishing = false
        /// The number of calls during which nothing is copied.
        var pauseCount = 0
    }

    /// What a commit has to do.
    enum Step: Equatable { case nothing, copyInBackground, copy }

    /// `SQLITE_CHECKPOINT_PASSIVE`.
    private static let passive: CInt = 0

    /// The growth of the log, in pages, that is copied at a time.
    private let growth: Int
    private let functions: SQLiteFunctions
    private let state: Mutex<State>
    /// Used during a copy, and kept for the next one.
    private let connection = Mutex<SQLiteConnection?>(nil)
    private let interrupter = Mutex<StatementInterrupter?>(nil)
    private let start = Mutex<(@Sendable () -> Void)?>(nil)

    init(growth: Int, _ functions: SQLiteFunctions) {
        (self.growth, self.functions) = (growth, functions)
        state = Mutex(State(next: growth))
    }

    /// Sets what starts the work in the background, which calls ``copy(opening:)``.
    func onGrowth(_ start: @escaping @Sendable () -> Void) { self.start.withLock { $0 = start } }

    /// Lets SQLite tell each commit of the writer's connection, which keeps this object.
    /// - Returns: false if the library cannot; then SQLite's own rule stays, by which commits copy.
    func install(on database: OpaquePointer?) -> Bool {
        guard let setCommitHook = functions.setCommitHook, functions.checkpoint != nil else { return false }
        _ = setCommitHook(
            database,
            { context, database, name, pages in
                guard let context else { return 0 }
                let checkpointer = Unmanaged<LogCheckpointer>.fromOpaque(context).takeUnretainedValue()
                switch checkpointer.committed(Int(pages)) {
                case .nothing: break
                case .copyInBackground: checkpointer.start.withLock(\.self)?()
                // The commit has succeeded; after a failure of the copy the next one tries again.
                case .copy: _ = checkpointer.functions.checkpoint?(database, name, LogCheckpointer.passive, nil, nil)
                }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        return true
    }

    /// Notes a commit.
    func committed(_ pages: Int) -> Step {
        state.withLock { state in
            // The log has begun again.
            if pages < state.last { (state.next, state.isFinishing) = (growth, false) }
            state.last = pages
            guard !state.isCopying, state.pauseCount == 0 else { return .nothing }
            if state.isFinishing { return .copy }
            guard pages >= state.next else { return .nothing }
            (state.next, state.isCopying) = (pages + growth, true)
            return .copyInBackground
        }
    }

    /// Copies the log as it is.
    func copy(opening open: () throws(StoreError) -> SQLiteConnection) {
        connection.withLock { connection in
            guard !isPaused else { return interrupted() }
            do throws(StoreError) {
                if connection == nil {
                    connection = try open()
                    // Only the statements of the app are traced.
                    connection?.tracer = nil
                    interrupter.withLock { $0 = connection?.interrupter }
                }
                copied(try connection?.copyLog { !isPaused })
            } catch {
                if error.code == .interrupted { interrupted() } else { copied(nil) }
            }
        }
    }

    /// Notes the end of a copy.
    /// - Parameter result: nil if the log could not be copied, so that commits have to.
    func copied(_ result: SQLiteStore.CheckpointResult?) {
        state.withLock { state in
            state.isCopying = false
            state.isFinishing = result.map { $0.logPages >= growth * 4 && $0.copiedPages < state.last } ?? true
        }
    }

    private func interrupted() { state.withLock { ($0.isCopying, $0.next) = (false, 0) } }

    private var isPaused: Bool { state.withLock { $0.pauseCount > 0 } }

    /// Runs `body` while nothing is copied, and the connection of the copies is closed.
    func pausing<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.pauseCount += 1 }
        defer { state.withLock { $0.pauseCount -= 1 } }
        endCopy()
        return try body()
    }

    /// Runs `body` while nothing is copied, and copies nothing from then on.
    func stop(after body: () throws -> Void) rethrows {
        try pausing {
            try body()
            // Within the pause: a copy after it would open again what `body` has closed.
            state.withLock { $0.pauseCount += 1 }
            start.withLock { $0 = nil }
        }
    }

    private func endCopy() {
        // An interrupt ends the statement that runs, but not one that is about to.
        while connection.withLockIfAvailable({ $0 = nil }) == nil {
            interrupter.withLock(\.self)?.interrupt()
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

extension SQLiteConnection {
    /// Copies the log, and then what was committed meanwhile, until that is little.
    ///
    /// SQLite synchronizes the file only in a copy during which no other connection commits. Beside a busy writer only
    /// the copy within a commit is such a one; it would wait until the pages of all copies before it are on the disk.
    /// - Parameter mayGoOn: false to end after the copy that runs.
    fileprivate mutating func copyLog(
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> SQLiteStore.CheckpointResult {
        var result = try checkpoint(.passive)
        for _ in 0..<3 where mayGoOn() {
            SQLiteOpenFile(of: database, functions)?.synchronize()
            let before = result.logPages
            result = try checkpoint(.passive)
            // A commit copies as much within a millisecond.
            if result.logPages < before + 20 { break }
        }
        return result
    }
}
