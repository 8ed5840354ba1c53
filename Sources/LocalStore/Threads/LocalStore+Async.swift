extension LocalStore {
    /// Runs several queries on one snapshot, on the store's ``threads``.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await threads.read(self, body)
    }

    /// Runs a transaction, on the store's ``threads``.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await threads.transaction(self, body)
    }
}
