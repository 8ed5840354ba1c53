import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import StoreCore
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct SyncTests {
    @Test func `HyperHive 2: sign-in, database, schema, delta and query`() async throws {
        try await Hive.serving { hive in
            let store = try await hive.prepare()
            #expect(try store.tableNames().sorted().contains("FRUITS_output_table"))
            let sync = try await hive.sync()
            #expect(sync.version == 1 && sync.upserts == 4 && sync.deletes == 0 && !sync.isNotModified)
            let rows = try store.rows("SELECT hhive_id, id, name, region FROM FRUITS_output_table ORDER BY id", [])
            #expect(rows.first == [101, 1, "Apple", "east"])
            // HyperHive 13: null cells are NULL.
            #expect(rows.last == [104, 4, .null, .null])
            #expect(sync.result.status == .ok && sync.result.database?.updated == 4)
            #expect(sync.result.response?.status == 200)
            #expect(sync.result.response?.bytesUploaded == 2)
            let bytes = try #require(sync.result.response?.bytesDownloaded)
            #expect(bytes > 100)
            #expect(sync.result.request.url?.hasSuffix("/api/v1/rpc/FRUITS/") == true)
        }
    }

    @Test func `HyperHive 6: versions count up from the stored one, also when nothing has changed`() async throws {
        try await Hive.serving(options: { $0.sendsEntityTags = false }) { hive in
            try await hive.prepare()
            for version in 1...3 { #expect(try await hive.sync().version == version) }
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v2-last"])
            #expect(hive.sent("If-None-Match") == [nil, nil, nil])
            #expect(try hive.rows().contains("Apple"))
        }
    }

    @Test func `HyperHive 6: a gap, and a server that forgot its versions, cause a full load`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change("FRUITS", insert: [[5, "Kiwi", "east"]])
            hive.service.inject(.wrongBase(by: 1))
            let sync = try await hive.sync()
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v0-last"])
            #expect(sync.upserts == 5)
            #expect(try hive.rows().contains("Kiwi"))
            try hive.service.change("FRUITS", delete: [101])
            hive.service.forgetVersions()
            #expect(try await hive.sync().version == 1)
            #expect(hive.sent("X-Delta").suffix(2) == ["v\(sync.version)-last", "v0-last"])
            #expect(try !hive.rows().contains("Apple"))
        }
    }

    @Test func `HyperHive 6: without the stored version all rows are loaded`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            let sync = try await hive.client.syncDelta("FRUITS", into: Hive.database, usesStoredVersion: false)
            #expect(sync.upserts == 4)
            #expect(hive.sent("X-Delta") == ["v0-last", "v0-last"] && hive.sent("If-None-Match") == [nil, nil])
        }
    }

    @Test func `HyperHive 7: insertions, updates and deletions of a delta`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change(
                "FRUITS", insert: [[5, "Kiwi", "east"]], update: [102: [2, "Pear, sliced", "east"]], delete: [103])
            let sync = try await hive.sync()
            #expect(sync.version == 2 && sync.result.database?.updated == sync.upserts + sync.deletes)
            #expect(
                try hive.rows("SELECT name FROM FRUITS_output_table WHERE name IS NOT NULL ORDER BY id")
                    == #"[{"name":"Apple"},{"name":"Pear, sliced"},{"name":"Kiwi"}]"#)
        }
    }

    static let faults: [(HyperHiveService.EndpointFault, HyperHiveError.Code)] = [
        (.table("output_table", .renamed("other")), .malformedResponse),
        (.table("output_table", .extraCell), .malformedResponse), (.truncated(toBytes: 60), .malformedResponse),
        (.cut(afterBytes: 60), .transport), (.status(.internalServerError), .status),
        (.status(.forbidden), .status),
    ]

    @Test(arguments: faults.indices)
    func `HyperHive 8: a failure leaves rows and version as they were`(index: Int) async throws {
        let (fault, code) = Self.faults[index]
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            let before = try hive.rows()
            try hive.service.change("FRUITS", insert: [[5, "Kiwi", "east"]], delete: [101])
            hive.service.inject(fault)
            let error = try #require(await hive.syncError())
            #expect(error.code == code, "\(error)")
            #expect(error.result.status == .error && error.result.errors.count == 1)
            #expect(try hive.rows() == before)
            #expect(try await hive.sync().upserts == 1)
            #expect(hive.sent("X-Delta").suffix(2) == ["v1-last", "v1-last"])
            #expect(try hive.rows().contains("Kiwi"))
        }
    }

    @Test func `HyperHive 9: a full response replaces the rows`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change("FRUITS", insert: [[5, "Kiwi", "east"]], delete: [101, 102])
            let load = try await hive.client.loadTable("FRUITS", into: Hive.database)
            #expect(load.upserts == 3)
            #expect(hive.sent("X-Delta").last == .some(nil))
            #expect(try hive.rows("SELECT count(*) FROM FRUITS_output_table") == #"[{"count(*)":3}]"#)
            // The next delta continues from the version of the full response.
            try hive.service.change("FRUITS", insert: [[6, "Plum", "east"]])
            #expect(try await hive.sync().upserts == 1)
        }
    }

    @Test func `HyperHive 10: 304 is no success, and changes nothing`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            let before = try hive.rows()
            let sync = try await hive.sync()
            #expect(sync.isNotModified && sync.version == 1 && sync.upserts == 0)
            #expect(sync.result.status == .error && sync.result.response?.status == 304)
            #expect(sync.result.json["http"]?["status"] == 304)
            #expect(hive.service.counts.notModified == 1)
            #expect(try hive.rows() == before)
        }
    }

    @Test(arguments: HyperHiveService.VersionForm.allCases)
    func `HyperHive 11: all forms of Content-Version`(form: HyperHiveService.VersionForm) async throws {
        var settings = HyperHiveService.Configuration()
        settings.fullVersionForm = form
        if form == .quotedDelta || form == .delta { settings.deltaVersionForm = form }
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            #expect(try await hive.client.loadTable("FRUITS", into: Hive.database).version == 1)
            try hive.service.change("FRUITS", delete: [101])
            #expect(try await hive.sync().version == 2)
            #expect(hive.sent("X-Delta") == [nil, "v1-last"])
        }
    }

    @Test func `HyperHive 11: a resource without versions has rows, a validator and no X-Delta`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let sync = try await hive.sync("PRICES")
            #expect(sync.version == 0 && sync.upserts == 2)
            #expect(try hive.rows("SELECT * FROM PRICES_output_table ORDER BY id").contains(#""price":1.25"#))
            #expect(try await hive.sync("PRICES").isNotModified)
            #expect(hive.sent("X-Delta") == [nil, nil])
        }
    }

    @Test func `HyperHive 13: parameters select rows, and table parameters are sent as positional rows`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let parameters = #"{"IT_FILTER":[{"name":"Pear"},["Apple",1]]}"#
            #expect(try await hive.sync(parameters: parameters).upserts == 2)
            let body = try JSONValue(parsing: try #require(hive.server.requests.last).body)
            #expect(body == ["IT_FILTER": [["Pear", nil], ["Apple", 1]]])
            let error = await #expect(throws: HyperHiveError.self) { try await hive.sync(parameters: "[1]") }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `HyperHive 14: each text of parameters has tables of its own`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            for region in ["east", "west"] { try await hive.sync(parameters: #"{"IV_REGION":"\#(region)"}"#) }
            func names(_ parameters: String) throws -> [String] {
                try hive.client.tableNames(
                    of: "FRUITS", parameters: parameters, table: "output_table", in: Hive.database)
            }
            let east = try #require(names(#"{"IV_REGION":"east"}"#).first)
            #expect(try hive.rows("SELECT id FROM `\(east)` ORDER BY id") == #"[{"id":1},{"id":2}]"#)
            let dropped = try hive.client.dropCache(
                of: "FRUITS", parameters: #"{"IV_REGION":"east"}"#, in: Hive.database)
            #expect(dropped == [east])
            #expect(try names(#"{"IV_REGION":"east"}"#).isEmpty && names(#"{"IV_REGION":"west"}"#).count == 1)
            #expect(try names("") == ["FRUITS_output_table"])
            // Its version is gone too.
            try await hive.sync(parameters: #"{"IV_REGION":"east"}"#)
            #expect(hive.sent("X-Delta").last == "v0-last")
        }
    }

    @Test func `HyperHive 16: an unknown resource is an error that names it`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let error = await hive.syncError("NOTHING")
            #expect(error?.code == .unknownResource && error?.message.contains("NOTHING") == true)
            #expect(error?.result.errors.first?.code == 404 && hive.sent("X-Delta").isEmpty)
        }
    }

    @Test func `the schema is loaded when it is not known`() async throws {
        try await Hive.serving { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            try hive.client.openDatabase(Hive.database)
            #expect(try await hive.sync().version == 1)
            #expect(try await hive.sync("PRICES").upserts == 2)
            #expect(hive.service.counts.requests(to: .schema) == 1)
        }
    }

    @Test func `HyperHive 18: rows are readable during a load, and progress is reported`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.resources.append(
            .init("BIG", tables: [.init("t", [.init("id", .bigint), .init("name")], generated: 20_000, seed: 1)]))
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync("BIG")
            let gate = Gate()
            hive.service.inject(.hold(gate, afterBytes: 200_000))
            let progress = HyperHiveProgressFeed()
            async let load = hive.client.loadTable("BIG", into: Hive.database, progress: progress)
            try await gate.waitForWaiters(1)
            #expect(try hive.rows("SELECT count(*) AS n FROM BIG_t") == #"[{"n":20000}]"#)
            try hive.client.database(at: Hive.database).execute("CREATE TABLE own (a)", [])
            gate.open()
            #expect(try await load.upserts == 20_000)
            var last = HyperHiveProgress()
            for await value in progress.updates { last = value }
            #expect(last.rows == 20_000 && last.bytes > 200_000)
        }
    }

    @Test(arguments: [true, false])
    func `HyperHive 18: progress ends with a load that fails`(isConfigured: Bool) async throws {
        let configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        let client = HyperHive(
            isConfigured ? configuration : nil, transport: ScriptedTransport([], then: .status(.internalServerError)))
        try client.openDatabase(":memory:")
        let progress = HyperHiveProgressFeed()
        let load = Task { try await client.syncDelta("FRUITS", into: ":memory:", progress: progress) }
        for await _ in progress.updates {}
        let error = await #expect(throws: HyperHiveError.self) { try await load.value }
        #expect(error?.code == (isConfigured ? .status : .configuration))
        // Its release would end the sequence too.
        withExtendedLifetime(progress) {}
    }

    @Test func `HyperHive 16: a cancelled load changes nothing, and its status is cancel`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            let before = try hive.rows()
            try hive.service.change("FRUITS", delete: [101])
            let gate = Gate()
            hive.service.inject(.hold(gate, afterBytes: 10))
            let load = Task { await hive.syncError() }
            try await gate.waitForWaiters(1)
            load.cancel()
            let error = await load.value
            #expect(error?.code == .cancelled && error?.result.status == .cancel && error?.result.errors == [])
            #expect(try hive.rows() == before)
            gate.open()
            #expect(try await hive.sync().deletes == 1)
        }
    }

    @Test func `the text of parameters is not in the database`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let parameters = #"{"IV_REGION":"personal"}"#
            #expect(try await hive.sync(parameters: parameters).version == 1)
            // It still identifies the rows.
            #expect(try await hive.sync(parameters: parameters).isNotModified)
            try await hive.sync(parameters: #"{"IV_REGION":"other"}"#)
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v0-last"])
            for table in ["patchbay_delta", "patchbay_hyperhive_tables"] {
                let rows = try hive.rows("SELECT * FROM \(table)")
                #expect(rows.contains("FRUITS") && !rows.contains("personal"), "\(rows)")
            }
        }
    }

    @Test func `another user's rows are loaded in full`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync()
            try await hive.client.signIn("bob", password: "b")
            try await hive.sync()
            #expect(hive.sent("X-Delta") == ["v0-last", "v0-last"] && hive.sent("If-None-Match") == [nil, nil])
        }
    }
}
