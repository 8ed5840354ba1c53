import SQLiteStore

// Local databases; nil is the default one. These calls block until the database has finished.

extension HHFWController {
    /// Opens a database, or creates it, also the documents folder.
    /// - Parameters:
    ///   - path: `/var/app/Documents/x.sqlite`, `/Documents/x.sqlite` or `x.sqlite`: the same file; or `:memory:`; nil
    ///     for ``HyperHive/defaultDatabase``.
    ///   - key: the encryption key; nil or empty for a plain file.
    /// - Returns: true also when it is open with the same key; false when it is open with another one, when the key is
    ///   wrong, and for other errors: see ``lastError``.
    @discardableResult
    public func openBase(_ path: String?, key: String?) -> Bool {
        local { () throws(HyperHiveError) in
            try client.openDatabase(path ?? HyperHive.defaultDatabase, key: EncryptionKey(key ?? ""))
        } != nil
    }

    /// Opens ``HyperHive/defaultDatabase``; see ``openBase(_:key:)``.
    @discardableResult
    public func openDefaultBase(_ key: String?) -> Bool { openBase(HyperHive.defaultDatabase, key: key) }

    /// Closes a database, after the loads and the other calls in progress. Blocks until then.
    ///
    /// A load that begins meanwhile fails.
    /// - Parameter path: nil for ``HyperHive/defaultDatabase``.
    /// - Returns: false when it is not open, within one of its loads, or when a statement takes too long: see
    ///   ``lastError``.
    @discardableResult
    public func closeBase(_ path: String?) -> Bool {
        local { () throws(HyperHiveError) in try client.closeDatabase(path ?? HyperHive.defaultDatabase) } != nil
    }

    /// Closes ``HyperHive/defaultDatabase``; see ``closeBase(_:)``.
    @discardableResult
    public func closeDefaultBase() -> Bool { closeBase(HyperHive.defaultDatabase) }

    /// Runs one SQL statement.
    /// - Parameter path: nil for ``HyperHive/defaultDatabase``.
    /// - Returns: the envelope as JSON text, with the rows in `result.database.records`; never nil.
    @discardableResult
    public func query(_ path: String?, query: String?) -> String? {
        text { () throws(HyperHiveError) in try client.queryResult(path ?? HyperHive.defaultDatabase, query ?? "") }
    }

    /// Lists the local tables of an output table, the one with the digest of the parameters first.
    /// - Parameters:
    ///   - path: nil for ``HyperHive/defaultDatabase``.
    ///   - requestParams: the text of the parameters that the rows were loaded with; nil or empty for none.
    ///   - tableName: the name in the schema; nil or empty for all tables.
    /// - Returns: the envelope as JSON text, whose `result.database.records` have `name`; never nil.
    public func getTablesName(
        _ path: String?, resourceName: String?, requestParams: String?, tableName: String?
    ) -> String? {
        text { () throws(HyperHiveError) in
            try client.tableNames(
                CallLog("getTablesName"), resourceName ?? "", requestParams ?? "", tableName.nonEmpty,
                path ?? HyperHive.defaultDatabase
            ).result
        }
    }

    /// Lists all local tables of a resource and some parameters.
    /// - Returns: as ``getTablesName(_:resourceName:requestParams:tableName:)``.
    public func getTablesName(_ path: String?, resourceName: String?, requestParams: String?) -> String? {
        getTablesName(path, resourceName: resourceName, requestParams: requestParams, tableName: nil)
    }

    /// Drops the local tables of a resource and some parameters, with their version.
    /// - Parameter path: nil for ``HyperHive/defaultDatabase``.
    /// - Returns: the envelope as JSON text, with the dropped tables; never nil.
    @discardableResult
    public func dropCache(_ path: String?, resourceName: String?, requestParams: String?) -> String? {
        text { () throws(HyperHiveError) in
            try client.dropCache(
                CallLog("dropCache"), resourceName ?? "", requestParams ?? "", path ?? HyperHive.defaultDatabase
            ).result
        }
    }

    /// Stores a value under a key, nil to remove it, in ``HyperHive/defaultDatabase`` or another open one.
    /// - Returns: false for an error: see ``lastError``.
    @discardableResult
    public func saveParam(_ value: String?, forKey key: String?, dataBasePath: String? = nil) -> Bool {
        local { () throws(HyperHiveError) in
            try client.saveParameter(value, forKey: key ?? "", in: dataBasePath.nonEmpty ?? HyperHive.defaultDatabase)
        } != nil
    }

    /// Returns the value that ``saveParam(_:forKey:dataBasePath:)`` has stored; nil without one, and for an error.
    public func paramForKey(_ key: String?, dataBasePath: String? = nil) -> String? {
        local { () throws(HyperHiveError) in
            try client.parameter(forKey: key ?? "", in: dataBasePath.nonEmpty ?? HyperHive.defaultDatabase)
        } ?? nil
    }

    private func text(_ work: () throws(HyperHiveError) -> HyperHiveResult) -> String {
        do throws(HyperHiveError) { return try work().text } catch { return error.result.text }
    }
}
