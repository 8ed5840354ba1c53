import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import VendorServices

struct HyperHiveTransactionTests {
    private let id = "9B0E3C1A-1111-4222-8333-444455556666"
    private let upsert: JSONValue = ["upsert_rows": [[5, "Kiwi", "east"]]]

    @Test func `HyperHive 22: a transaction is executed once, listed, fetched and deleted`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let first = try await client.call("FRUITS_CHANGE", upsert, ["X-Transaction-ID": id])
        #expect(first.status == 200)
        let second = try await client.call("FRUITS_CHANGE", upsert, ["X-Transaction-ID": id.lowercased()])
        #expect(second.status == 200 && second.body == first.body)
        #expect(client.service.counts.changes == 1 && client.service.counts.replays == 1)
        #expect(client.service.transactionIDs(of: "FRUITS_CHANGE") == [id.lowercased()])

        let entry: JSONValue = ["uuid": .string(id.lowercased()), "resource": "FRUITS_CHANGE"]
        #expect(try await client.send("GET", "transactions/").json == [entry])
        #expect(try await client.send("GET", "transactions/?resource=FRUITS_CHANGE").json == [entry])
        #expect(try await client.send("GET", "transactions/?resource=FRUITS").json == [])
        #expect(try await client.send("GET", "transactions/\(id)/").body == first.body)
        #expect(try await client.send("DELETE", "transactions/\(id)/").status == 204)
        for method in ["GET", "DELETE"] {
            #expect(try await client.send(method, "transactions/\(id)/").status == 404)
        }
        #expect(try await client.send("GET", "transactions/").json == [])
        // Forgotten, so it is executed again.
        #expect(try await client.call("FRUITS_CHANGE", upsert, ["X-Transaction-ID": id]).status == 200)
        #expect(client.service.counts.changes == 2)
    }

    @Test func `a stored delta has its version and rows, although the content has changed`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let first = try await client.delta("v0-last", "FRUITS", [:], ["X-Transaction-ID": id])
        try client.service.change("FRUITS", delete: [101, 102])
        for stored in [
            try await client.delta("v0-last", "FRUITS", [:], ["X-Transaction-ID": id]),
            try await client.send("GET", "transactions/\(id)"),
        ] {
            #expect(stored.body == first.body && stored.version == first.version && stored.etag == first.etag)
        }
        #expect(client.service.counts.loads == 1)
    }

    @Test func `an id belongs to one request of one user, device and project`() async throws {
        var client = try await HyperHiveClient.signedIn()
        let fields = ["X-Transaction-ID": id]
        #expect(try await client.call("FRUITS", [:], fields).status == 200)
        #expect(try await client.call("PRICES", [:], fields).status == 409)
        #expect(try await client.call("FRUITS", ["IV_REGION": "east"], fields).status == 409)
        #expect(try await client.delta("v0-last", "FRUITS", [:], fields).status == 409)
        client.device = "D-2"
        try await client.signIn()
        #expect(try await client.call("PRICES", [:], fields).status == 200)
        #expect(try await client.call("PRICES", [:], ["X-Transaction-ID": "1"]).status == 400)
    }

    @Test func `an error is not stored`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let fields = ["X-Transaction-ID": id]
        #expect(try await client.call("FRUITS", ["UNKNOWN": 1], fields).status == 400)
        #expect(try await client.call("FRUITS", [:], fields).status == 200)
        #expect(client.service.counts.replays == 0)
    }

    @Test(.needsSlot) func `a lost response can be fetched by its id, and a repeat without one is refused once`()
        async throws
    {
        try await HyperHiveClient.overSocket { client in
            client.service.inject(.cut(afterBytes: 5))
            await #expect(throws: TransportError.self) {
                try await client.call("FRUITS_CHANGE", upsert, ["X-Transaction-ID": id])
            }
            let stored = try await client.call("FRUITS_CHANGE", upsert, ["X-Transaction-ID": id])
            #expect(stored.json == [["name": "result", "data": [[1, 0]]]] && client.service.counts.changes == 1)

            client.service.inject(.cut(afterBytes: 0))
            await #expect(throws: TransportError.self) { try await client.call("FRUITS_CHANGE", upsert) }
            #expect(try await client.call("FRUITS_CHANGE", ["delete_ids": [[9]]]).status == 200)
            #expect(try await client.call("FRUITS_CHANGE", upsert).status == 409)
            #expect(try await client.call("FRUITS_CHANGE", upsert).status == 200)
            let counts = client.service.counts
            #expect(counts.lostResponses == 2 && counts.refusedRepeats == 1 && counts.changes == 4)
        }
    }

    @Test(.needsSlot) func `reading again after a lost response is no error unless the resource says so`() async throws
    {
        for refuses in [false, true] {
            var resource = HyperHiveService.Resource("R", tables: [.init("t", [.init("a")], rows: [["x"]])])
            resource.refusesRepeats = refuses
            try await HyperHiveClient.overSocket {
                $0.resources = [resource]
            } _: { client in
                client.service.inject(.cut(afterBytes: 3))
                await #expect(throws: TransportError.self) { try await client.delta("v0-last", "R") }
                let again = try await client.delta("v0-last", "R")
                #expect(again.status == (refuses ? 409 : 200))
            }
        }
    }
}
