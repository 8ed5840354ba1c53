import StoreCore
import Synchronization
import SystemLibraries

/// Copies the write-ahead log to the file in the background, so that no commit waits for that.
///
/// ```
/// idle    -commit, the log has grown enough-> copying    beside the writer, as a reader
/// copying -all but what was written meanwhile-> idle
/// copying -the log is long->                  copying    the rest, with the writer's lock, so that it begins again
/// ```
final class LogCheckpointer: Sendable {
    private struct State {
        /// The pages of the log from which it is copied again.
        var next: Int
        /// The pages of the log after the last commit.
        var last = 0
        var isCopying = false
    }

    /// The growth of the log, in pages, that is copied at a time.
    private let growth: Int
    private let state: Mutex<State>
    /// Held during a checkpoint, since SQLite refuses a second one.
    private let turn = Mutex(())
    private let copy: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    init(growth: Int) {
        self.growth = growth
        state = Mutex(State(next: growth))
    }

    /// Sets what starts the background work, which calls ``run(_:rest:)``.
    func onGrowth(_ copy: @escaping @Sendable () -> Void) { self.copy.withLock { $0 = copy } }

    /// Lets SQLite tell each commit of a connection, which keeps this object.
    /// - Returns: false if the library cannot; then its commits copy the log.
    func install(on database: OpaquePointer?, _ functions: SQLiteFunctions) -> Bool {
        guard let setCommitHook = functions.setCommitHook else { return false }
        _ = setCommitHook(
            database,
            { context, _, _, pages in
                guard let context else { return 0 }
                Unmanaged<LogCheckpointer>.fromOpaque(context).takeUnretainedValue().committed(Int(pages))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        return true
    }

    /// Notes a commit.
    func committed(_ pages: Int) {
        let mustCopy = state.withLock { state in
            // The log has begun again.
            if pages < state.last { state.next = growth }
            state.last = pages
            guard pages >= state.next, !state.isCopying else { return false }
            (state.next, state.isCopying) = (pages + growth, true)
            return true
        }
        if mustCopy { copy.withLock(\.self)?() }
    }

    /// Copies the log.
    /// - Parameters:
    ///   - bulk: a passive checkpoint beside the writer; returns the pages of the log.
    ///   - rest: one that no commit changes the log during.
    func run(_ bulk: () throws -> Int, rest: () throws -> Void) {
        // An error is found by the next commit, or by a checkpoint of the app.
        exclusively { if let pages = try? bulk(), pages >= growth * 4 { try? rest() } }
        state.withLock { $0.isCopying = false }
    }

    /// Runs a checkpoint when no other one of the store runs.
    func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result { try turn.withLock { _ in try body() } }
}
