public import SQLiteStore
public import StoreCore

// Local databases.

extension HyperHive {
    /// Opens a database, or creates it, also the documents folder. Waits for another call that opens or closes it.
    ///
    /// A database that is open with the same key stays open.
    /// - Parameters:
    ///   - path: an absolute path; or a path in the documents folder, with or without `/Documents/` before it; or
    ///     `:memory:`.
    ///   - key: the encryption key; default none.
    /// - Returns: its store, with decoded rows, transactions and observation.
    /// - Throws: ``HyperHiveError`` (`database`): it is open with another key, or the store's error. After an error
    ///   with a key, no call opens the database without one by itself.
    @discardableResult
    public func openDatabase(_ path: String, key: EncryptionKey = .unencrypted) throws(HyperHiveError) -> any LocalStore
    {
        let log = CallLog("openBase")
        do {
            return try databases.open(path, key: key).store
        } catch {
            throw log.error(error)
        }
    }

    /// Returns the store of an open database. Waits for another call that opens or closes it.
    /// - Throws: ``HyperHiveError`` (`database`): it is not open.
    public func database(at path: String = HyperHive.defaultDatabase) throws(HyperHiveError) -> any LocalStore {
        try openDatabase(at: path, CallLog("database")).store
    }

    /// Closes a database, after the loads and the other calls in progress. Blocks until then.
    ///
    /// A load that begins meanwhile fails.
    /// - Throws: ``HyperHiveError`` (`database`): it is not open, this is called within one of its loads, or a
    ///   statement takes too long; it stays open then.
    public func closeDatabase(_ path: String) throws(HyperHiveError) {
        let log = CallLog("closeBase")
        do throws(StoreError) { try databases.close(path) } catch { throw log.error(error) }
    }

    /// Returns the names of a resource's existing tables.
    /// - Parameters:
    ///   - parameters: the text of the parameters that the rows were loaded with.
    ///   - table: only the tables of this output table; nil for all.
    /// - Throws: ``HyperHiveError``.
    public func tableNames(
        of resource: String, parameters: String = "", table: String? = nil,
        in database: String = HyperHive.defaultDatabase
    ) throws(HyperHiveError) -> [String] {
        try tableNames(CallLog("getTablesName"), resource, parameters, table, database).names
    }

    /// Drops the tables of a resource and some parameters, with their version.
    /// - Returns: the names of the dropped tables.
    /// - Throws: ``HyperHiveError``: `busy` while a call loads them.
    @discardableResult
    public func dropCache(
        of resource: String, parameters: String = "", in database: String = HyperHive.defaultDatabase
    ) throws(HyperHiveError) -> [String] {
        try dropCache(CallLog("dropCache"), resource, parameters, database).names
    }

    /// Stores a value in a database under a key; nil removes it.
    /// - Throws: ``HyperHiveError``.
    public func saveParameter(
        _ value: String?, forKey key: String, in database: String = HyperHive.defaultDatabase
    ) throws(HyperHiveError) {
        let log = CallLog("saveParam")
        let parameters = try openDatabase(at: database, log).parameters
        do throws(StoreError) { try parameters.save(value, forKey: key) } catch { throw log.error(error) }
    }

    /// Returns the value that ``saveParameter(_:forKey:in:)`` has stored; nil without one.
    /// - Throws: ``HyperHiveError``.
    public func parameter(
        forKey key: String, in database: String = HyperHive.defaultDatabase
    ) throws(HyperHiveError) -> String? {
        let log = CallLog("getParam")
        let parameters = try openDatabase(at: database, log).parameters
        do throws(StoreError) { return try parameters.value(forKey: key) } catch { throw log.error(error) }
    }
}
