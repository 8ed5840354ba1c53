import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import SQLiteStore
import StoreCore
import Synchronization
import TestSupport
import Testing
import VendorServices

/// Schemas that are invalid, that change, and that belong to another user.
@Suite(.needsSlot) struct SchemaChangeTests {
    /// Runs a test with a server whose schema passes a function, which gets the number of the request for it, from 0.
    private func serving(
        _ service: HyperHiveService = HyperHiveService(),
        schema: @escaping @Sendable (JSONValue, Int) -> JSONValue,
        _ body: (HyperHive, LoopbackServer) async throws -> Void
    ) async throws {
        let count = Mutex(0)
        let server = try LoopbackServer { request in
            let response = try await service.respond(to: request)
            guard request.url.path().hasSuffix("/schema"), response.status == .ok else { return response }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return request.response(json: schema(try JSONValue(parsing: response.body), number))
        }
        try await server.stopping { server in
            let client = HyperHive(
                HyperHiveConfiguration(
                    host: "http://127.0.0.1:\(server.port)", environment: "e", project: "p", device: "d"))
            try await client.signIn("ann", password: "open sesame")
            try client.openDatabase(":memory:")
            try await body(client, server)
        }
    }

    private func requests(_ server: LoopbackServer, _ path: String) -> Int {
        server.requests.count { $0.target.contains(path) }
    }

    /// The schema with other columns of a resource's table.
    private static func with(_ columns: [String], of resource: String, _ schema: JSONValue) -> JSONValue {
        var members = schema.object ?? [:]
        var entry = members[resource]?.object ?? [:]
        entry["output"] = [["name": "output_table", "columns": .array(columns.map { ["name": .string($0)] })]]
        members[resource] = .object(entry)
        return .object(members)
    }

    @Test func `HyperHive 12: an invalid entry fails only the calls that use it`() async throws {
        try await serving(schema: { schema, number in
            // The second schema is repaired.
            var members = schema.object ?? [:]
            if number < 2 { members["PRICES"] = ["output": ["name": "t"]] }
            return .object(members)
        }) { client, server in
            let resources = try await client.loadResources(into: ":memory:")
            #expect(resources.map(\.name) == ["FRUITS", "FRUITS_CHANGE"])
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            let error = await #expect(throws: HyperHiveError.self) {
                try await client.syncDelta("PRICES", into: ":memory:")
            }
            #expect(error?.code == .malformedResponse)
            #expect(error?.message == "Invalid schema of resource PRICES: output.t has no columns.")
            #expect(requests(server, "/rpc/PRICES/") == 0)
            #expect(try await client.syncDelta("PRICES", into: ":memory:").upserts == 2)
        }
    }

    @Test func `HyperHive 12: names that make no tables fail only the calls that use them`() async throws {
        try await serving(schema: { schema, _ in Self.with(["id", "ID"], of: "PRICES", schema) }) { client, server in
            let resources = try await client.loadResources(into: ":memory:")
            #expect(resources.count == 3)
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            let error = await #expect(throws: HyperHiveError.self) {
                try await client.syncDelta("PRICES", into: ":memory:")
            }
            #expect(error?.message.contains("PRICES") == true && requests(server, "/rpc/PRICES/") == 0)
        }
    }

    @Test(arguments: ["FRUITS", "PRICES"], [["id"], ["id", "color", "size", "region", "name", "price"]])
    func `a response that does not fit the schema is requested again with the current one`(
        resource: String, formerColumns: [String]
    ) async throws {
        let service = HyperHiveService()
        try await serving(
            service,
            schema: { schema, number in
                number == 0 ? Self.with(formerColumns, of: resource, schema) : schema
            }
        ) { client, server in
            try await client.loadResources(into: ":memory:")
            let id = UUID().uuidString
            let sync = try await client.syncDelta(
                resource, into: ":memory:", options: HyperHiveCallOptions(transactionID: id))
            #expect(sync.upserts == (resource == "FRUITS" ? 4 : 2))
            #expect(requests(server, "/schema") == 2 && requests(server, "/rpc/") == 2)
            #expect(server.requests.compactMap { $0.fields["X-Transaction-ID"] } == [id])
            let column = resource == "FRUITS" ? "region" : "price"
            let rows = try client.database(at: ":memory:").queryJSON(
                "SELECT \(column) FROM \(resource)_output_table WHERE id = 1", [])
            #expect(["[{\"region\":\"east\"}]", "[{\"price\":0.5}]"].contains(String(decoding: rows, as: UTF8.self)))
        }
    }

    @Test func `a response that does not fit an unchanged schema is an error of that response`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.inject(.table("output_table", .extraCell))
            let error = try #require(await hive.syncError())
            #expect(error.code == .malformedResponse)
            #expect(hive.service.counts.requests(to: .schema) == 2 && hive.service.counts.requests(to: .resource) == 1)
            // The envelope is about it, not about the schema.
            #expect(error.result.request.url?.hasSuffix("/rpc/FRUITS/") == true)
            let bytes = try #require(error.result.response?.bytesDownloaded)
            #expect(error.result.response?.headers["Content-Version"] != nil && bytes > 0)
        }
    }

    @Test(arguments: [
        HyperHiveService.EndpointFault.status(.serviceUnavailable), .cut(afterBytes: 5), .truncated(toBytes: 5),
    ])
    func `a response is not requested again because the schema cannot be, and its error is the one reported`(
        fault: HyperHiveService.EndpointFault
    ) async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.inject(.table("output_table", .extraCell))
            hive.service.inject(fault, at: .schema)
            let error = try #require(await hive.syncError(options: HyperHiveCallOptions(retryCount: 3)))
            #expect(error.code == .malformedResponse && error.result.retryCount == 0)
            #expect(error.result.request.url?.hasSuffix("/rpc/FRUITS/") == true && error.result.response?.status == 200)
            #expect(hive.service.counts.requests(to: .schema) == 2 && hive.service.counts.requests(to: .resource) == 1)
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 12: tables that cannot be created fail only the calls that use them`() async throws {
        var settings = HyperHiveService.Configuration()
        // Names with this prefix are SQLite's own.
        settings.resources.append(.init("sqlite", tables: [.init("t", [.init("id", .bigint)])]))
        settings.resources.append(.init("AP", tables: [.init("view", [.init("id", .bigint)])]))
        try await Hive.serving(settings) { hive in
            try hive.client.openDatabase(Hive.database).execute("CREATE VIEW AP_view AS SELECT 1", [])
            try await hive.client.signIn("ann", password: "open sesame")
            #expect(try await hive.client.loadResources(into: Hive.database).count == 5)
            #expect(try await hive.sync().upserts == 4)
            for (resource, table) in [("sqlite", "sqlite_t"), ("AP", "AP_view")] {
                let error = try #require(await hive.syncError(resource))
                #expect(error.code == .database && error.message.contains(table), "\(error)")
            }
        }
    }

    /// The schema with the columns `name` and `region` of `FRUITS` in the other order.
    private static func withSwappedColumns(_ schema: JSONValue) -> JSONValue {
        var members = schema.object ?? [:]
        var entry = members["FRUITS"]?.object ?? [:]
        var columns = entry["output"]?[0]?["columns"]?.array ?? []
        columns.swapAt(columns.count - 2, columns.count - 1)
        entry["output"] = [["name": "output_table", "columns": .array(columns)]]
        members["FRUITS"] = .object(entry)
        return .object(members)
    }

    /// Serves `FRUITS` with two columns in another order in the first schema.
    private func servingOrders(_ body: (HyperHive, HyperHiveService, LoopbackServer) async throws -> Void) async throws
    {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        let service = HyperHiveService(settings)
        try await serving(
            service,
            schema: { schema, number in
                number == 0 ? Self.withSwappedColumns(schema) : schema
            }
        ) { client, server in
            try await client.loadResources(into: ":memory:")
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            // The server has changed the order since.
            #expect(try apple(client) == #"[{"name":"east"}]"#)
            try await body(client, service, server)
            #expect(try apple(client) == #"[{"name":"Apple"}]"#)
        }
    }

    private func apple(_ client: HyperHive) throws -> String {
        let rows = try client.database(at: ":memory:").queryJSON(
            "SELECT name FROM FRUITS_output_table WHERE id = 1", [])
        return String(decoding: rows, as: UTF8.self)
    }

    @Test func `HyperHive 12: a new order of the columns is a changed schema, which causes a full load`() async throws {
        try await servingOrders { client, _, server in
            try await client.loadResources(into: ":memory:")
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            #expect(server.requests.compactMap { $0.fields["X-Delta"] } == ["v0-last", "v0-last"])
        }
    }

    @Test func `HyperHive 12: a load of all rows, and one after a gap, loads the schema first`() async throws {
        try await servingOrders { client, _, server in
            _ = try await client.syncDelta("FRUITS", into: ":memory:", usesStoredVersion: false)
            #expect(requests(server, "/schema") == 2 && requests(server, "/rpc/") == 2)
        }
        try await servingOrders { client, service, server in
            try service.change("FRUITS", insert: [[5, "Kiwi", "east"]])
            service.inject(.wrongBase(by: 1))
            _ = try await client.syncDelta("FRUITS", into: ":memory:")
            #expect(requests(server, "/schema") == 2)
            #expect(server.requests.compactMap { $0.fields["X-Delta"] } == ["v0-last", "v1-last", "v0-last"])
        }
    }

    @Test(arguments: ["sign-in", "sign-out", "configuration"])
    func `HyperHive 12: a sign-in, a sign-out and a configuration drop the schema`(change: String) async throws {
        try await servingOrders { client, _, server in
            if change == "sign-in" {
                try await client.signIn("bob", password: "b")
            } else {
                if change == "sign-out" { client.signOut() }
                if change == "configuration" { client.configure(try #require(client.configuration)) }
                // Without a token it fails, but after the request of the schema.
                await #expect(throws: HyperHiveError.self) { try await client.syncDelta("FRUITS", into: ":memory:") }
                #expect(requests(server, "/schema") == 2 && requests(server, "/rpc/") == 1)
                try await client.signIn("ann", password: "open sesame")
            }
            let count = requests(server, "/schema")
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            #expect(requests(server, "/schema") == count + 1)
        }
    }

    @Test func `each call of resources loads the schema again`() async throws {
        try await serving(schema: { schema, number in
            number == 0 ? .object((schema.object ?? [:]).filter { $0.key == "PRICES" }) : schema
        }) { client, server in
            let counts = [
                try await client.loadResources(into: ":memory:").count,
                try await client.loadResources(into: ":memory:").count,
            ]
            #expect(counts == [1, 3])
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            #expect(requests(server, "/schema") == 2)
        }
    }

    @Test func `HyperHive 14: resources whose tables have the same name share no rows`() async throws {
        func resource(_ name: String, _ table: String, _ id: JSONValue) -> HyperHiveService.Resource {
            .init(name, tables: [.init(table, [.init("id", .bigint)], rows: [[id]])])
        }
        var settings = HyperHiveService.Configuration()
        settings.resources = [resource("A", "B_C", 1), resource("A_B", "C", 2), resource("a", "b_c", 3)]
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync("A")
            for other in ["A_B", "a"] {
                let error = try #require(await hive.syncError(other))
                #expect(error.code == .database && error.result.errors.first?.source == .sqlite)
                #expect(error.message.contains("resource A ") && error.message.contains("resource \(other) "))
            }
            #expect(try hive.rows("SELECT id FROM A_B_C") == #"[{"id":1}]"#)
            #expect(try hive.client.tableNames(of: "A_B", table: "C", in: Hive.database) == [])
            // As the message says.
            try hive.client.dropCache(of: "A", in: Hive.database)
            try await hive.sync("A_B")
            #expect(try hive.rows("SELECT id FROM A_B_C") == #"[{"id":2}]"#)
        }
    }

    @Test(arguments: ["sign-in", "sign-out", "project"])
    func `rows that arrive after another user has signed in, or for a former project, are not stored`(
        change: String
    ) async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate, afterBytes: 10))
            let progress = HyperHiveProgressFeed()
            let load = Task { try await hive.client.syncDelta("FRUITS", into: Hive.database, progress: progress) }
            // The load has begun when it has read the first bytes.
            for await _ in progress.updates { break }
            if change == "project" {
                var configuration = try #require(hive.client.configuration)
                configuration.project = "other"
                hive.client.configure(configuration)
            } else {
                try await hive.client.signIn("bob", password: "b")
                if change == "sign-out" { hive.client.signOut() }
            }
            gate.open()
            let error = await #expect(throws: HyperHiveError.self) { try await load.value }
            #expect(error?.code == .cancelled)
            #expect(try hive.rows() == "[]")
        }
    }

    @Test func `a 304 that arrives after another user has signed in is not about that user's rows`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            async let error = hive.syncError()
            try await gate.waitForWaiters(1)
            try await hive.client.signIn("bob", password: "b")
            gate.open()
            let envelope = try #require(await error).result.json
            #expect(envelope["status"] == "cancel" && envelope["http"] == nil && envelope["errors"] == [])
            #expect(hive.sent("If-None-Match").last ?? nil != nil)
        }
    }

    @Test func `a load of an earlier user uses that user's schema, and stores nothing`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            hive.service.inject(.status(.serviceUnavailable))
            let options = HyperHiveCallOptions(retryCount: 1, retryInterval: .seconds(10))
            async let error = hive.syncError(options: options)
            try await hive.clock.wait { $0.contains { $0.offset == .seconds(10) } }
            try await hive.client.signIn("bob", password: "b")
            try await hive.client.loadResources(into: Hive.database)
            await hive.clock.advance(by: .seconds(10))
            #expect(await error?.code == .cancelled)
            #expect(try hive.rows() == "[]")
            let tokens = hive.server.requests.filter { $0.target.hasSuffix("/schema") }.map {
                $0.fields["Authorization"]
            }
            // Ann's, Bob's, and Ann's again.
            #expect(tokens.count == 3 && tokens[0] == tokens[2] && tokens[0] != tokens[1])
            #expect(hive.sent("Authorization") == [tokens[0]])
            // Bob's schema is still known.
            try await hive.sync("PRICES")
            #expect(hive.service.counts.requests(to: .schema) == 3)
        }
    }
}
