import Synchronization

/// The place of a connection while nobody uses it. Whoever uses it takes it out, so that no lock is held meanwhile.
final class ConnectionSlot: Sendable {
    private let connection: Mutex<SQLiteConnection?>

    init(_ connection: consuming sending SQLiteConnection) { self.connection = Mutex(consume connection) }

    /// Uses the connection. One at a time: that is for the caller to see to.
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

    static let closed = StoreError(.closed, "The store was closed.")
}
