import StoreCore

/// Caches and other settings that only tune.
extension SQLiteConnectionFactory {
    /// - Throws: `StoreError` (`invalidArgument`) for a negative size.
    static func checkSizes(_ configuration: SQLiteStore.Configuration) throws(StoreError) {
        let sizes = [
            ("cacheBytes", configuration.cacheBytes), ("memoryMapBytes", configuration.memoryMapBytes),
            ("checkpointPages", configuration.checkpointPages),
        ]
        for (name, size) in sizes where size.map({ $0 < 0 }) == true {
            throw StoreError(
                .invalidArgument, "Invalid Configuration.\(name): \(size ?? 0) is negative; use 0 or more.")
        }
    }

    func applySizes(to connection: inout SQLiteConnection) throws(StoreError) {
        // A negative number is a size in KiB, a positive one a number of pages.
        if let bytes = configuration.cacheBytes {
            try set("cache_size", -min(bytes / 1024, Int(CInt.max)), &connection)
        }
        if let bytes = configuration.memoryMapBytes { try set("mmap_size", bytes, &connection) }
        // Temporary files would have the data in plain text.
        let storage = key == .unencrypted ? configuration.temporaryStorage : .memory
        if let storage { try set("temp_store", storage == .file ? 1 : 2, &connection) }
        if let pages = configuration.checkpointPages {
            try set("wal_autocheckpoint", min(pages, Int(CInt.max)), &connection)
        }
    }

    private func set(_ pragma: String, _ value: Int, _ connection: inout SQLiteConnection) throws(StoreError) {
        try connection.runInternal("PRAGMA \(pragma) = \(value)") { _ in }
    }
}
