import LocalStore
import Synchronization

/// Holder of an idle connection. Users move the connection out, so that no lock is held while it is in use.
final class PooledConnection: Sendable {
    private let connection: Mutex<SQLiteConnection?>

    init(_ connection: consuming sending SQLiteConnection) { self.connection = Mutex(consume connection) }

    /// Runs `body` with the connection. The caller must ensure that there is one user at a time.
    /// - Throws: `StoreError` (`closed`) when it was closed; what `body` throws.
    func use<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        guard var connection = connection.withLock({ $0.take() }) else { throw Self.closed }
        let result = Swift.Result { try body(&connection) }
        put(connection)
        return try result.get()
    }

    private func put(_ used: consuming SQLiteConnection) {
        var used: SQLiteConnection? = consume used
        connection.withLock { $0 = used.take() }
    }

    /// Closes the connection.
    func close() { _ = connection.withLock { $0.take() } }

    static let closed = StoreError(.closed, "Store is closed; open a new one.")
}
