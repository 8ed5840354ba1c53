import Coordination
import Dispatch
import Synchronization

/// Use of an open database by a load, which the closing of the database waits for. Thread-safe.
final class DatabaseUse: Sendable {
    let database: HyperHiveDatabase
    private let isActive = Atomic(true)

    init(_ database: HyperHiveDatabase) {
        self.database = database
        database.uses.enter()
    }

    // For a call that was cancelled before its work began.
    deinit { end() }

    /// Ends the use; only the first call has an effect.
    func end() {
        if isActive.exchange(false, ordering: .acquiringAndReleasing) { database.uses.leave() }
    }

    /// Runs a load, then ends the use.
    func run<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        defer { end() }
        return try await RunningWork.run(for: database, body)
    }

    /// True within a load into a database, which must not wait for its closing.
    static func isCurrent(for database: HyperHiveDatabase) -> Bool { RunningWork.isCurrent(of: database) }
}
