import Coordination
import DeltaSync
import Foundation
import HTTPMessages
import StoreCore

// Schema, and loads into a database.

extension HyperHive {
    /// Loads the schema of all resources, and creates their tables in a database.
    ///
    /// The tables of a resource are left out when its entry in the schema is invalid, or when they cannot be created,
    /// such as with names of other tables; a call that loads it fails with the reason.
    /// - Returns: the valid resources, sorted by name.
    /// - Throws: ``HyperHiveError``.
    @discardableResult
    public func loadResources(
        into database: String = HyperHive.defaultDatabase
    ) async throws(HyperHiveError) -> [HyperHiveResource] {
        try await resourcesResult(database, as: session.snapshot).resources
    }

    /// Loads the changes of a resource since the stored version into a database.
    ///
    /// The first load requests all rows. Changes are applied atomically. Rows can be read meanwhile, and are those
    /// before the load until it returns. Waits for an earlier load of the same tables.
    /// - Parameters:
    ///   - parameters: text of a JSON object, empty for none. Each text has tables of its own.
    ///   - usesStoredVersion: false to load all rows.
    ///   - progress: receives the progress.
    /// - Throws: ``HyperHiveError``; nothing was changed then.
    @discardableResult
    public func syncDelta(
        _ resource: String, parameters: String = "", into database: String = HyperHive.defaultDatabase,
        usesStoredVersion: Bool = true, options: HyperHiveCallOptions = HyperHiveCallOptions(),
        progress: HyperHiveProgressFeed? = nil
    ) async throws(HyperHiveError) -> HyperHiveSync {
        try await sync(
            Load.Arguments(
                type: "deltaStream", resource: resource, parameters: parameters, database: database, isDelta: true,
                usesStoredVersion: usesStoredVersion, options: options), progress)
    }

    /// Loads all rows of a resource into a database, which replace the stored ones atomically.
    ///
    /// Waits for an earlier load of the same tables.
    /// - Throws: ``HyperHiveError``; nothing was changed then.
    @discardableResult
    public func loadTable(
        _ resource: String, parameters: String = "", into database: String = HyperHive.defaultDatabase,
        options: HyperHiveCallOptions = HyperHiveCallOptions(), progress: HyperHiveProgressFeed? = nil
    ) async throws(HyperHiveError) -> HyperHiveSync {
        try await sync(
            Load.Arguments(
                type: "tableStream", resource: resource, parameters: parameters, database: database, isDelta: false,
                options: options), progress)
    }

    private func sync(
        _ arguments: Load.Arguments, _ progress: HyperHiveProgressFeed?
    ) async throws(HyperHiveError) -> HyperHiveSync {
        do throws(HyperHiveError) {
            return try await Load.run(arguments, self, as: session.snapshot, progress)
        } catch {
            guard case NotModified.current(let version)? = error.underlying else { throw error }
            return HyperHiveSync(
                isNotModified: true, version: version, upserts: 0, deletes: 0, result: error.result)
        }
    }

    // MARK: Envelopes

    /// - Parameter begun: use of the database that has begun; nil to begin one here.
    func resourcesResult(
        _ path: String, as session: ClientSession.Snapshot, _ begun: DatabaseUse? = nil
    ) async throws(HyperHiveError) -> (resources: [HyperHiveResource], result: HyperHiveResult) {
        defer { begun?.end() }
        let log = CallLog("resources")
        let call = try Call(self, log, HyperHiveCallOptions(), as: session)
        do {
            // A closing thread waits for this work, also one that the caller's actor needs.
            return try await BlockingWork.run {
                let use = try begun ?? self.databases.use(path)
                log.echo { $0.destination = use.database.path.description }
                return try await use.run { try await self.resourcesResult(call, use.database) }
            }
        } catch {
            throw log.error(error)
        }
    }

    private func resourcesResult(
        _ call: Call, _ database: HyperHiveDatabase
    ) async throws(HyperHiveError) -> (resources: [HyperHiveResource], result: HyperHiveResult) {
        let log = call.log
        let resources = try await call.retrying { try await call.schema().resources }
        do {
            let targets = try resources.filter { !$0.outputs.isEmpty }.compactMap { resource in
                do throws(ResourceError) {
                    return try ResourceTarget(resource, parameters: "", binding: call.binding)
                } catch {
                    guard error.code == .invalidSchema else { throw error }
                    return nil
                }
            }
            try await database.store.transaction {
                for target in targets {
                    do throws(StoreError) { try database.tables.createTables(of: target) } catch {
                        guard error.isAboutOneTable else { throw error }
                    }
                }
            }
        } catch {
            throw log.error(error)
        }
        var result = log.result(.ok)
        result.database = .init(name: database.path.description)
        return (resources, result)
    }
}

extension StoreError {
    /// True when the error does not concern other tables.
    ///
    /// The names belong to something else or are reserved, or the table has too many columns.
    fileprivate var isAboutOneTable: Bool {
        [.tableExists, .failed, .invalidArgument, .tooLarge, .syntax, .unsupportedSQL].contains(code)
    }
}
