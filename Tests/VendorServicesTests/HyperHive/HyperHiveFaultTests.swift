import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import VendorServices

struct HyperHiveFaultTests {
    private static let big = HyperHiveService.Resource(
        "BIG", tables: [.init("t", [.init("id", .bigint), .init("name"), .init("price", .double)], generated: 20_000)])

    @Test(.needsSlot) func `a table is streamed in chunks over a socket`() async throws {
        try await HyperHiveClient.overSocket {
            $0.resources = [Self.big]
        } _: { client in
            let delta = try await client.delta("v0-last", "BIG")
            #expect(delta.version == "\"delta v0-v1\"" && !delta.fields.contains(.contentLength))
            #expect(delta.json.ids("insert_rows") == (1...20_000).map(Int64.init))
            // The connection stays usable, also after a response without a body.
            let etag = try #require(delta.etag)
            #expect(try await client.delta("v1-last", "BIG", [:], ["If-None-Match": etag]).status == 304)
            #expect(try await client.send("HEAD", "rpc/BIG/").status == 200)
            #expect(try await client.call("NONE").status == 404)
            #expect(try await client.delta("v1-v1", "BIG").json.ids("insert_rows") == [])
        }
    }

    @Test(.needsSlot, arguments: [0, 1, 65_536, 300_000])
    func `a body is cut after its bytes, and continued by a range`(count: Int) async throws {
        try await HyperHiveClient.overSocket {
            $0.resources = [Self.big]
            $0.loadsOnRequest = false
        } _: { client in
            client.service.inject(.cut(afterBytes: count))
            let error = await #expect(throws: TransportError.self) { try await client.delta("v0-last", "BIG") }
            #expect([.truncated, .connectionLost].contains(error?.code))
            let whole = try await client.delta("v0-last", "BIG")
            let etag = try #require(whole.etag)
            let rest = try await client.delta(
                "v0-last", "BIG", [:], ["If-Match": etag, "X-Range": "bytes=\(count)-"])
            #expect(rest.status == 206 && rest.body == whole.body.dropFirst(count))
            #expect(client.service.counts.lostResponses == 1)
        }
    }

    @Test(.needsSlot) func `a cut beyond the end has no effect`() async throws {
        try await HyperHiveClient.overSocket { client in
            let whole = try await client.call("PRICES")
            client.service.inject(.cut(afterBytes: whole.body.count))
            #expect(try await client.call("PRICES").body == whole.body)
            #expect(client.service.counts.lostResponses == 0)
        }
    }

    @Test(.needsSlot) func `a lost response has its effect`() async throws {
        try await HyperHiveClient.overSocket { client in
            let fields = ["X-Transaction-ID": UUID().uuidString]
            let upsert: JSONValue = ["upsert_rows": [[5, "Kiwi"]]]
            client.service.inject(.lost, count: 2)
            // A transport may send it again on a new connection, so it is lost twice.
            await #expect(throws: TransportError.self) { try await client.call("FRUITS_CHANGE", upsert, fields) }
            #expect(client.service.counts.changes == 1)
            let rows = try client.service.rows(of: "FRUITS")
            #expect(rows.count == 5)
        }
    }

    @Test(.needsSlot) func `the rest of a body waits for a gate`() async throws {
        for count in [nil, 0, 100_000] {
            try await HyperHiveClient.overSocket {
                $0.resources = [Self.big]
            } _: { client in
                let gate = Gate()
                client.service.inject(.hold(gate, afterBytes: count))
                async let held = client.delta("v0-last", "BIG")
                try await gate.waitForWaiters(1)
                // Others are served meanwhile.
                #expect(try await client.send("GET", "schema").status == 200)
                gate.open()
                #expect(try await held.json.ids("insert_rows").count == 20_000)
            }
        }
    }

    @Test func `statuses come for a number of requests, and have no effect`() async throws {
        let client = try await HyperHiveClient.signedIn()
        client.service.inject(.status(.serviceUnavailable), count: 2)
        client.service.inject(.status(.internalServerError), at: .schema)
        for status in [503, 503, 200] { #expect(try await client.delta("v0-last").status == status) }
        for status in [500, 200] { #expect(try await client.send("GET", "schema").status == status) }
        #expect(client.service.counts.loads == 1 && client.service.counts.requests(to: .resource) == 3)
        #expect(client.service.counts.requests(for: "FRUITS") == 1)
    }

    @Test func `an expired token stays invalid until the next sign-in`() async throws {
        var client = try await HyperHiveClient.signedIn()
        client.service.inject(.expiredToken)
        for _ in 0..<2 { #expect(try await client.delta("v0-last").status == 401) }
        try await client.signIn()
        #expect(try await client.delta("v0-last").version == "\"delta v0-v1\"")
    }

    @Test func `the first version may be wrong, and tables not as in the schema`() async throws {
        let client = try await HyperHiveClient.signedIn { $0.loadsOnRequest = false }
        let whole = try await client.delta("v0-last")
        client.service.inject(.wrongBase(by: 1))
        let wrong = try await client.delta("v0-last")
        #expect(wrong.version == "\"delta v1-v1\"" && wrong.body == whole.body)
        for (fault, text) in [
            (.missing, "[]"), (.renamed("x"), whole.text.replacing("output_table", with: "x")),
            (.extraCell, whole.text.replacing("\"]", with: "\",0]").replacing("null]", with: "null,0]")),
        ] as [(HyperHiveService.TableFault, String)] {
            client.service.inject(.table("output_table", fault))
            #expect(try await client.delta("v0-last").text == text)
        }
        client.service.inject(.truncated(toBytes: 20))
        let truncated = try await client.delta("v0-last")
        #expect(truncated.status == 200 && truncated.body == whole.body.prefix(20) && truncated.json.isNull)
        #expect(try await client.delta("v0-last").body == whole.body)
    }

    @Test func `a stored transaction is whole although its response was not`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let fields = ["X-Transaction-ID": UUID().uuidString]
        client.service.inject(.truncated(toBytes: 1))
        #expect(try await client.call("PRICES", [:], fields).text == "[")
        #expect(try await client.call("PRICES", [:], fields).json[0]?["name"] == "output_table")
    }

    @Test func `without a socket, a cut response is a 500`() async throws {
        let client = try await HyperHiveClient.signedIn()
        client.service.inject(.cut(afterBytes: 1))
        #expect(try await client.delta("v0-last").status == 500)
        #expect(client.service.counts.lostResponses == 1)
    }
}
