import Foundation
import StoreCore
import Synchronization
import SystemLibraries

/// Copies the write-ahead log to the file in the background, on a connection of its own.
///
/// ```
/// idle     -commit, the log has grown enough-> copying     beside the writer
/// copying  -done->                             idle
/// copying  -done, and the log is long; error-> finishing
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
            guard state.withLock({ $0.pauseCount == 0 }) else { return copied(0) }
            do {
                if connection == nil {
                    connection = try open()
                    // Only the statements of the app are traced.
                    connection?.tracer = nil
                    interrupter.withLock { $0 = connection?.interrupter }
                }
                copied(try connection?.checkpoint(.passive).logPages)
            } catch {
                copied(nil)
            }
        }
    }

    /// Notes the end of a copy.
    /// - Parameter pages: the pages of the log; nil if it could not be copied, so that commits have to.
    func copied(_ pages: Int?) {
        state.withLock { state in
            (state.isCopying, state.isFinishing) = (false, pages.map { $0 >= growth * 4 } ?? true)
        }
    }

    /// Runs `body` while nothing is copied, and the connection of the copies is closed.
    func pausing<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.pauseCount += 1 }
        defer { state.withLock { $0.pauseCount -= 1 } }
        endCopy()
        return try body()
    }

    /// Copies nothing from now on.
    func stop() { state.withLock { $0.pauseCount += 1 } }

    private func endCopy() {
        // An interrupt ends the statement that runs, but not one that is about to.
        while connection.withLockIfAvailable({ $0 = nil }) == nil {
            interrupter.withLock(\.self)?.interrupt()
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
