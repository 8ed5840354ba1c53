import Foundation
import HTTPMessages
import HyperHive
import SQLiteStore
import StoreCore
import SystemLibraries
import Transport
import VendorServices

extension Harness {
    /// Measures the memory of a full load into a file, then compares it with plain code, and a delta with it.
    ///
    /// The server is another process, and sends recorded responses: their production is not measured.
    func hyperHive(_ server: ServerProcess) async throws -> (flow: RowFlow, figures: [Figure])? {
        guard SQLiteLibrary.system.isAvailable else { return nil }
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let load = HyperHiveLoad(
            host: server.hyperHiveURL, folder: folder.url, rows: arguments.quick ? 50_000 : 500_000)
        let flow = try await flow(load)
        let name = "HyperHive, \(load.rows) rows of 8 columns into a file"
        return (
            flow,
            [
                try await compareTimes(
                    name + ": full load", operations: load.rows,
                    against: "response in memory, JSONDecoder, INSERT for each row", rounds: min(rounds, 5),
                    subject: {
                        try await load.withClient { client in try await seconds { try await load.loadAll(client) } }
                    },
                    baseline: { try await seconds { try await load.loadWithJSONDecoder() } }),
                try await compareTimes(
                    name + ": delta of 1 % of them", operations: 1, against: "full load", rounds: min(rounds, 5),
                    subject: {
                        try await load.withLoadedClient { client in
                            try await seconds { try await load.loadDelta(client) }
                        }
                    },
                    baseline: {
                        try await load.withClient { client in try await seconds { try await load.loadAll(client) } }
                    }),
                try await compareTimes(
                    name + ": delta of 1 % of them", operations: 1,
                    against: "C calls that delete and insert as many rows of the same file", rounds: min(rounds, 5),
                    subject: {
                        try await load.withLoadedClient { client in
                            try await seconds { try await load.loadDelta(client) }
                        }
                    },
                    baseline: {
                        try await load.withLoadedClient { client in
                            let connection = try load.connection(to: client)
                            defer { connection.close() }
                            return try await seconds { try load.moveRows(over: connection) }
                        }
                    }),
            ]
        )
    }

    private func flow(_ load: HyperHiveLoad) async throws -> RowFlow {
        Usage.resetPeak()
        let before = Usage.now.bytes
        // The server records both responses, which takes it longer than sending them: only memory is measured.
        try await load.withClient { client in
            try await load.loadAll(client)
            try await load.loadDelta(client)
        }
        return try await load.withClient { client in
            var bytes = 0
            let seconds = try await seconds { bytes = try await load.loadAll(client) }
            return RowFlow(
                name: "HyperHive, full load into a file", rows: load.rows, bytes: bytes, seconds: seconds,
                peakGrowth: Usage.peak - before)
        }
    }
}

/// Loads of one resource of ``RecordedHyperHive``.
private struct HyperHiveLoad {
    private static let database = "rows.sqlite"

    let host: String
    let folder: URL
    let rows: Int

    private struct WrongCount: Error {
        let count: Int
    }

    /// The client's database is not a file.
    private struct NoFile: Error {}

    /// Runs `body` with a signed-in client and an empty database file.
    func withClient<Result>(_ body: (HyperHive) async throws -> Result) async throws -> Result {
        let documents = folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: documents) }
        var options = HyperHiveOptions()
        options.documentsFolder = documents.path
        let client = HyperHive(
            HyperHiveConfiguration(host: host, environment: "work", project: "shop", device: "device-1"),
            options: options)
        try await client.signIn("ann", password: "open sesame")
        try client.openDatabase(Self.database)
        try await client.loadResources(into: Self.database)
        let result = try await body(client)
        try client.closeDatabase(Self.database)
        return result
    }

    /// Runs `body` after a full load.
    func withLoadedClient<Result>(_ body: (HyperHive) async throws -> Result) async throws -> Result {
        try await withClient { client in
            try await loadAll(client)
            return try await body(client)
        }
    }

    /// - Returns: bytes of the response.
    @discardableResult
    func loadAll(_ client: HyperHive) async throws -> Int {
        let sync = try await client.syncDelta(RecordedHyperHive.resource(rows), into: Self.database)
        guard sync.upserts == rows, sync.version == 1 else { throw WrongCount(count: sync.upserts) }
        return Int(sync.result.response?.bytesDownloaded ?? 0)
    }

    func loadDelta(_ client: HyperHive) async throws {
        let sync = try await client.syncDelta(RecordedHyperHive.resource(rows), into: Self.database)
        // Each row is chosen by chance.
        let expected = Double(rows) * RecordedHyperHive.changedShare
        guard sync.version == 2, sync.upserts == sync.deletes, abs(Double(sync.upserts) - expected) < expected / 4
        else { throw WrongCount(count: sync.upserts) }
    }

    /// A second connection to the client's database.
    func connection(to client: HyperHive) throws -> PlainSQLite {
        guard case .file(let path) = (try client.database(at: Self.database) as? SQLiteStore)?.location else {
            throw NoFile()
        }
        return try PlainSQLite(path)
    }

    /// The baseline of a delta: moves rows to new keys, in one transaction.
    func moveRows(over connection: PlainSQLite) throws {
        let table = RecordedHyperHive.resource(rows) + "_measurement"
        let columns = RecordedHyperHive.columns.map(\.name).joined(separator: ", ")
        let insert = try connection.prepare(
            "INSERT INTO \(table) (hhive_id, \(columns)) SELECT ?, \(columns) FROM \(table) WHERE hhive_id = ?")
        let delete = try connection.prepare("DELETE FROM \(table) WHERE hhive_id = ?")
        defer { for statement in [insert, delete] { _ = connection.functions.finalize(statement) } }
        let count = Int(Double(rows) * RecordedHyperHive.changedShare)
        // In the order of the keys, as in a response.
        let keys = (0..<count).map { Int64(1 + $0 &* 7919 % rows) }.sorted()
        try connection.run("BEGIN IMMEDIATE")
        for (index, key) in keys.enumerated() {
            _ = connection.functions.bindInteger(insert, 1, Int64(rows + 1 + index))
            _ = connection.functions.bindInteger(insert, 2, key)
            _ = connection.functions.bindInteger(delete, 1, key)
            for statement in [insert, delete] {
                guard connection.functions.step(statement) == PlainSQLite.done else { throw WrongCount(count: index) }
                _ = connection.functions.reset(statement)
            }
        }
        try connection.run("COMMIT")
        let changes = Int(connection.functions.totalChanges(connection.database))
        guard changes == 2 * count else { throw WrongCount(count: changes) }
    }

    /// The baseline: the same response in memory, decoded into structs, each inserted by a statement.
    func loadWithJSONDecoder() async throws {
        let file = folder.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let store = try SQLiteStore(.file(file.path))
        var request = try HTTPRequest(
            .post, "\(host)/api/v1/rpc/\(RecordedHyperHive.resource(rows))/",
            fields: HTTPFields(["X-Delta": "v0-last", "Content-Type": "application/json"]),
            body: .bytes(Data("{}".utf8)))
        request.options.maximumResponseBytes = 1 << 30
        let response = try await URLSessionTransport.shared.send(request)
        let tables = try JSONDecoder().decode([HyperHiveTable].self, from: response.body)
        let count = try insert(tables.flatMap(\.insertedRows), into: store)
        guard count == rows else { throw WrongCount(count: count) }
        try store.close()
    }

    // Synchronous, so that it is the blocking transaction.
    private func insert(_ rows: [HyperHiveRow], into store: SQLiteStore) throws -> Int {
        try store.transaction {
            try store.execute(
                """
                CREATE TABLE measurement (hhive_id INTEGER PRIMARY KEY, id BIGINT, station BIGINT, gain DOUBLE,
                level DOUBLE, label TEXT, place TEXT, stock BIGINT, note TEXT)
                """)
            for row in rows {
                try store.execute("INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row.values)
            }
        }
        return rows.count
    }
}
