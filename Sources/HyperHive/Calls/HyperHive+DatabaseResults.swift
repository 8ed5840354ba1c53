import Foundation
import JSON
import StoreCore

// Envelopes of calls that use a local database only.

extension HyperHive {
    /// Runs one SQL statement.
    func queryResult(_ path: String, _ sql: String) throws(HyperHiveError) -> HyperHiveResult {
        let log = CallLog("query")
        let database = try openDatabase(at: path, log)
        log.echo { echo in
            echo.source = database.path.description
            echo.statements = [sql]
        }
        var part = HyperHiveResult.Database(name: database.path.description)
        do throws(StoreError) {
            if ChangeText.givesNoRows(sql) {
                part.updated = try database.store.execute(sql, [])
                part.records = Data("[]".utf8)
            } else {
                part.records = try database.store.queryJSON(sql, [])
            }
        } catch {
            throw log.error(error)
        }
        var result = log.result(.ok)
        result.database = part
        return result
    }

    func tableNames(
        _ log: CallLog, _ resource: String, _ parameters: String, _ table: String?, _ path: String
    ) throws(HyperHiveError) -> (names: [String], result: HyperHiveResult) {
        log.echo { $0.resource = resource }
        let database = try openDatabase(at: path, log)
        log.echo { $0.source = database.path.description }
        do {
            let names = try database.tables.tableNames(
                TableNames(resource: resource, parameters: parameters), output: table)
            return (names, log.result(names, of: database))
        } catch {
            throw log.error(error)
        }
    }

    func dropCache(
        _ log: CallLog, _ resource: String, _ parameters: String, _ path: String
    ) throws(HyperHiveError) -> (names: [String], result: HyperHiveResult) {
        log.echo { $0.resource = resource }
        let database = try openDatabase(at: path, log)
        log.echo { $0.destination = database.path.description }
        do {
            let names = try database.writer.drop(TableNames(resource: resource, parameters: parameters))
            return (names, log.result(names, of: database))
        } catch {
            throw log.error(error)
        }
    }

    /// Returns an open database; opens the default one.
    func openDatabase(at text: String, _ log: CallLog) throws(HyperHiveError) -> HyperHiveDatabase {
        do { return try databases.database(at: text) } catch { throw log.error(error) }
    }
}

extension CallLog {
    /// The envelope of table names: records with a `name`.
    fileprivate func result(_ names: [String], of database: HyperHiveDatabase) -> HyperHiveResult {
        var result = result(.ok)
        let records = JSONValue.array(names.map { .object(["name": .string($0)]) })
        result.database = .init(name: database.path.description, records: Data(records.description.utf8))
        return result
    }
}
