import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing

@testable import VendorServices

struct HyperHiveGeneratorTests {
    private static let columns: [HyperHiveService.Column] = [
        .init("id", .bigint), .init("name"), .init("price", .double), .init("stock", .bigint),
    ]

    private func service(count: Int, seed: UInt64 = 7) -> HyperHiveService {
        var configuration = HyperHiveService.Configuration()
        configuration.resources = [.init("BIG", tables: [.init("t", Self.columns, generated: count, seed: seed)])]
        return HyperHiveService(configuration)
    }

    @Test func `equal seeds give equal rows, also after equal changes`() throws {
        let services = [service(count: 500), service(count: 500), service(count: 500, seed: 8)]
        for _ in 0..<2 {
            let rows = try services.map { try $0.rows(of: "BIG") }
            #expect(rows[0] == rows[1] && rows[0] != rows[2])
            for service in services {
                try service.changeGenerated("BIG", updated: 0.2, deleted: 0.1, inserted: 30)
            }
        }
    }

    @Test func `rows have cells of the columns' types, and some are null`() throws {
        let rows = try service(count: 400).rows(of: "BIG")
        #expect(
            rows.map(\.id) == (1...400).map(Int64.init) && rows.map { $0.cells[0] } == (1...400).map { .integer($0) })
        #expect(rows.allSatisfy { $0.cells[1].string != nil || $0.cells[1].isNull })
        #expect(rows.allSatisfy { $0.cells[2].double != nil || $0.cells[2].isNull })
        #expect(rows.allSatisfy { $0.cells[3].integer != nil || $0.cells[3].isNull })
        let nulls = rows.flatMap(\.cells).filter(\.isNull).count
        #expect((1..<300).contains(nulls))
    }

    @Test func `what is streamed is what the rows are`() throws {
        let service = service(count: 600)
        try service.changeGenerated("BIG", updated: 0.3, deleted: 0.2, inserted: 50)
        let known = try #require(service.state.withLock { $0.resources["BIG"] })
        let document = known.document(.full, revision: known.revision, inputs: .init())
        var data = Data()
        let reader = TableReader(document)
        while let piece = reader.read(atMost: 1000) {
            #expect((1...1000).contains(piece.count))
            data += piece
        }
        let rows = try JSONValue(parsing: data)[0]?["data"]?.array
        #expect(rows == (try service.rows(of: "BIG").map { .array([.integer($0.id)] + $0.cells) }))
    }

    @Test func `a delta of a change set leads from the old rows to the new ones`() async throws {
        let big = HyperHiveService.Resource("BIG", tables: [.init("t", Self.columns, generated: 2000)])
        let client = try await HyperHiveClient.signedIn { $0.resources = [big] }
        _ = try await client.delta("v0-last", "BIG")
        var rows = Dictionary(uniqueKeysWithValues: try client.service.rows(of: "BIG").map { ($0.id, $0.cells) })
        try client.service.changeGenerated("BIG", updated: 0.05, deleted: 0.02, inserted: 40)
        try client.service.changeGenerated("BIG", updated: 0.05, deleted: 0.02, inserted: 40)
        let delta = try await client.delta("v1-last", "BIG").json
        let deleted = delta.ids("delete_ids"), inserted = delta[0]?["insert_rows"]?.array ?? []
        for id in deleted { #expect(rows.removeValue(forKey: id) != nil) }
        for row in inserted {
            let cells = try #require(row.array)
            #expect(rows.updateValue(Array(cells.dropFirst()), forKey: try #require(cells[0].integer)) == nil)
        }
        let expected = Dictionary(uniqueKeysWithValues: try client.service.rows(of: "BIG").map { ($0.id, $0.cells) })
        #expect(rows == expected)
        // About 7 % twice; far from none and from all.
        #expect((150...450).contains(deleted.count) && (150...450).contains(inserted.count))
    }

    @Test(arguments: [(0.0, 0.0, 300), (1.0, 0.0, 300), (0.0, 1.0, 0), (7.0, -1.0, 300)])
    func `shares reach from none to all`(updated: Double, deleted: Double, count: Int) throws {
        let service = service(count: 300)
        let old = Set(try service.rows(of: "BIG").map(\.id))
        try service.changeGenerated("BIG", updated: updated, deleted: deleted)
        let new = try service.rows(of: "BIG")
        #expect(new.count == count)
        #expect(new.filter { old.contains($0.id) }.count == (updated > 0 ? 0 : count))
    }

    @Test func `the beginning of a large table is read without producing the rest`() throws {
        let service = service(count: 1_000_000_000)
        let known = try #require(service.state.withLock { $0.resources["BIG"] })
        let reader = TableReader(known.document(.delta(since: nil), revision: 0, inputs: .init()))
        let piece = try #require(reader.read(atMost: 100))
        #expect(piece.count == 100)
        #expect(String(decoding: piece.prefix(40), as: UTF8.self).hasPrefix(#"[{"name":"t","insert_rows":[[1,1,"#))
    }
}
