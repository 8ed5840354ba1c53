public import StoreCore

extension SQLiteStore {
    /// Encrypts the file with another key, in place. It requires SQLCipher as the configuration's library.
    ///
    /// It waits for the reads in progress, and rewrites the whole file in one transaction. Other calls wait for it, up
    /// to `busyTimeout`. Other stores and programs that have the file open must open it again.
    /// - Throws: `StoreError`: `encryptionUnavailable` when the library cannot encrypt; `wrongKey` when the file is
    ///   not encrypted; `invalidArgument` for an empty key; `misuse` from within a transaction or a callback; `busy`
    ///   when reads, or another connection that writes, take too long; `readOnly`, `full` or `io`. The file then has
    ///   its old key.
    public func changeKey(to key: EncryptionKey) throws(StoreError) {
        guard key != .unencrypted, !key.text.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid encryption key: it is empty or contains NUL.")
        }
        try factory.checkCipher()
        guard factory.key != .unencrypted else {
            throw StoreError(
                .wrongKey, "Database is not encrypted, so its key cannot be changed; create a store with a key.")
        }
        guard !factory.isReadOnly else {
            throw StoreError(.readOnly, "Store is read-only (`Configuration.access`); open it with `.readWrite`.")
        }
        try checkOutsideCalls("Change of the key")
        defer { deliverTraces() }
        try rethrowingStoreErrors { try pausingReaders { try writer.use { try changeKey(of: &$0, to: key) } } }
    }

    private func changeKey(of connection: inout SQLiteConnection, to key: EncryptionKey) throws(StoreError) {
        let old = factory.key
        try checkWriteLock(of: &connection)
        do throws(StoreError) {
            try connection.runInternal("PRAGMA rekey = \(key.quoted)") { _ in }
            factory.currentKey.replace(with: key)
            // A new connection proves the key: the library may not report each failure.
            if factory.isFile { connection = try factory.makeConnection(.writer) }
        } catch {
            factory.currentKey.replace(with: old)
            // The old connection might encrypt what it writes with the new key.
            if factory.isFile {
                do throws(StoreError) {
                    connection = try factory.makeConnection(.writer)
                } catch let reopening where reopening.code == .wrongKey && error.code != .wrongKey {
                    // The file has the new key, and only its proof failed: by an interruption or a lack of resources.
                    factory.currentKey.replace(with: key)
                    return
                }
            }
            guard error.code == .wrongKey else { throw error }
            try checkWriteLock(of: &connection)
            throw StoreError(
                .io, "The key was not changed: \(factory.path) still has its old key; check the disk and retry.")
        }
    }

    /// Waits for other connections that write. SQLCipher reports no error when it could not, and changes nothing.
    /// - Throws: `StoreError` (`busy`).
    private func checkWriteLock(of connection: inout SQLiteConnection) throws(StoreError) {
        try connection.begin()
        connection.rollback()
    }

    /// Runs `body` while no connection reads; later reads open new connections.
    private func pausingReaders(_ body: () throws -> Void) throws {
        guard let readers else { return try body() }
        try factory.pausingCopies { try readers.close(timeout: writer.busyTimeout, reopens: true, body) }
    }
}
