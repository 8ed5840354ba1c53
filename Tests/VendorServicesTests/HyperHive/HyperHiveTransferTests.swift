import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct HyperHiveTransferTests {
    @Test func `HyperHive 10: unchanged content is 304, without a new version`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let etag = try #require(try await client.delta("v0-last").etag)
        let unchanged = try await client.delta("v1-last", "FRUITS", [:], ["If-None-Match": etag])
        #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged.etag == etag && unchanged.version == nil)
        #expect(client.service.counts.loads == 1 && client.service.counts.notModified == 1)
        // Of other parameters, or changed.
        let other = try await client.delta("v0-last", "FRUITS", ["IV_REGION": "east"], ["If-None-Match": etag])
        #expect(other.status == 200)
        try client.service.change("FRUITS", delete: [101])
        let changed = try await client.delta("v1-last", "FRUITS", [:], ["If-None-Match": "\"none\", \(etag)"])
        #expect(changed.status == 200 && changed.version == "\"delta v1-v2\"" && changed.etag != etag)
    }

    @Test func `an invalid version is not hidden by a known tag`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let etag = try #require(try await client.delta("v0-last").etag)
        #expect(try await client.delta("v7-last", "FRUITS", [:], ["If-None-Match": etag]).status == 400)
    }

    @Test func `auto takes the version from the tag`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let first = try await client.delta("auto")
        #expect(first.version == "\"delta v0-v1\"" && first.json.ids("insert_rows").count == 4)
        let etag = try #require(first.etag)
        #expect(try await client.delta("auto", "FRUITS", [:], ["If-None-Match": etag]).status == 304)
        client.service.load("FRUITS")
        try client.service.change("FRUITS", delete: [101])
        let next = try await client.delta("auto", "FRUITS", [:], ["If-None-Match": etag])
        #expect(next.version == "\"delta v1-v3\"" && next.json.ids("delete_ids") == [101])
        #expect(
            try await client.delta("auto", "FRUITS", [:], ["If-None-Match": "\"unknown\""]).version
                == "\"delta v0-v4\"")
    }

    @Test func `a range continues the same transfer, although the content has changed`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let whole = try await client.delta("v0-last")
        let etag = try #require(whole.etag)
        try client.service.change("FRUITS", delete: [101])
        for offset in [0, 1, 57, whole.body.count - 1] {
            let rest = try await client.delta(
                "v0-last", "FRUITS", [:], ["If-Match": etag, "X-Range": "bytes=\(offset)-"])
            #expect(rest.status == 206 && rest.body == whole.body.dropFirst(offset))
            #expect(rest.fields["Content-Range"] == "bytes \(offset)-/*" && rest.version == "\"delta v0-v1\"")
            #expect(rest.etag == etag)
        }
        #expect(client.service.counts.loads == 1 && client.service.counts.ranges == 4)
    }

    @Test func `invalid ranges and tags are refused`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let whole = try await client.delta("v0-last")
        let etag = try #require(whole.etag)
        for (fields, status) in [
            (["X-Range": "bytes=1-"], 400), (["X-Range": "bytes=1-2", "If-Match": etag], 400),
            (["X-Range": "1-", "If-Match": etag], 400), (["X-Range": "bytes=-1-", "If-Match": etag], 400),
            (["X-Range": "bytes=\(whole.body.count)-", "If-Match": etag], 416), (["If-Match": "\"none\""], 412),
        ] {
            #expect(try await client.delta("v0-last", "FRUITS", [:], fields).status == status)
        }
        // A tag of other versions.
        #expect(try await client.delta("v1-v1", "FRUITS", [:], ["If-Match": etag]).status == 412)
        #expect(try await client.call("FRUITS", [:], ["If-Match": etag]).status == 412)
        #expect(client.service.counts.loads == 1)
        #expect(try await client.delta("v0-last", "FRUITS", [:], ["If-Match": etag]).body == whole.body)
    }
}
