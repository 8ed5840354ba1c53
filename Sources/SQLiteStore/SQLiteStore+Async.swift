public import StoreCore

// Without these, the synchronous forms would meet the protocol's requirements.
extension SQLiteStore {
    /// Reads one snapshot on the store's threads; see ``/StoreCore/LocalStore``.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await threads.read(self, body)
    }

    /// Runs a transaction on the store's threads; see ``/StoreCore/LocalStore``.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await threads.transaction(self, body)
    }
}
