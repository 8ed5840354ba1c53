import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import StoreCore
import TestSupport
import Testing
import VendorServices

/// Loads that the server, the database or a limit refuses.
@Suite(.needsSlot) struct SyncRefusalTests {
    @Test(arguments: [400, 404, 409, 410, 412, 416, 422])
    func `HyperHive 6: a refused version causes one full load`(status: Int) async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change("FRUITS", insert: [[5, "Kiwi", "east"]])
            let fault = HyperHiveService.EndpointFault.status(try #require(HTTPStatus(status)))
            hive.service.inject(fault)
            #expect(try await hive.sync().upserts == 5)
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v0-last"])
            // Only one.
            for _ in 0..<2 { hive.service.inject(fault) }
            let error = try #require(await hive.syncError())
            #expect(error.code == .status && error.result.response?.status == status)
            #expect(hive.sent("X-Delta").count == 5)
            #expect(try hive.rows().contains("Kiwi"))
        }
    }

    @Test func `HyperHive 14: a load does not replace a table of the app, and names it`() async throws {
        try await Hive.serving { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            let store = try hive.client.openDatabase(Hive.database)
            try store.execute("CREATE TABLE FRUITS_output_table (memo TEXT)", [])
            try store.execute("INSERT INTO FRUITS_output_table VALUES ('mine')", [])
            try await hive.client.loadResources(into: Hive.database)
            let error = try #require(await hive.syncError())
            #expect(error.code == .database && error.message.contains("FRUITS_output_table"))
            #expect(error.result.errors.first?.source == .sqlite)
            #expect(try hive.client.dropCache(of: "FRUITS", in: Hive.database) == [])
            #expect(try hive.rows("SELECT * FROM FRUITS_output_table") == #"[{"memo":"mine"}]"#)
            try store.execute("ALTER TABLE FRUITS_output_table RENAME TO memos", [])
            #expect(try await hive.sync().upserts == 4)
        }
    }

    @Test(arguments: [false, true])
    func `a row beyond the limit is an error that names the limit`(isDelta: Bool) async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            if isDelta { try await hive.sync() }
            try hive.service.change("FRUITS", insert: [[5, .string(String(repeating: "k", count: 20_000)), nil]])
            hive.client.options.maximumRowBytes = 10_000
            let error = try #require(await hive.syncError())
            #expect(error.code == .malformedResponse && error.result.errors.first?.code == 56)
            for text in ["more than 10000 bytes", "HyperHiveOptions.maximumRowBytes"] {
                #expect(error.message.contains(text), "\(error)")
            }
            hive.client.options.maximumRowBytes = 30_000
            #expect(try await hive.sync().upserts == (isDelta ? 1 : 5))
            #expect(
                try hive.rows("SELECT length(name) AS n FROM FRUITS_output_table WHERE id = 5") == #"[{"n":20000}]"#)
        }
    }
}
