import DeltaSync
import ExampleSupport
import Patchbay
import PatchbayTestKit
import SQLiteStore

@main struct StockSync: Example {
    static let name = "stock-sync"
    static let summary = "A table that a server keeps up to date, and SQL over it. Warehouse.swift is the app."
    static let requirements = """
        The server has articles with id, name, price and count, among them LAMP and ROPE: /articles/ID (GET, PUT, DELETE);
        and GET /changes{?since}, the rows of the table article that have changed, with etag, as JSONDeltaSource reads
        them.
        """

    static func startServer() throws -> LoopbackServer {
        let service = RowService(
            table: "article",
            rows: [
                ["id": "LAMP", "name": "Lamp", "price": 24.5, "count": 12],
                ["id": "NAIL", "name": "Nail", "price": 0.25, "count": 4000],
                ["id": "ROPE", "name": "Rope", "price": 9, "count": 30],
            ])
        return try LoopbackServer(service: service)
    }

    static func run(at server: String) async throws {
        let api = try APIClient(server)
        try await ScratchFolder.with { folder in
            let file = folder.appending(path: "stock.sqlite").path
            let store = try SQLiteStore(.file(file))
            let warehouse = try Warehouse(api, in: store)
            let outcome = try await warehouse.synchronize()
            print("First load: \(outcome.counts.upserts) rows")
            print("  below 10: \(try warehouse.articles(below: 10).map(\.name))")
            print("  value of the stock: \(try warehouse.value())")
            try await watch(warehouse, api)
            try store.close()

            // The version is in the file, with the rows.
            let reopened = try SQLiteStore(.file(file))
            let again = try await Warehouse(api, in: reopened).synchronize()
            print("After a restart: \(again.counts.upserts) rows, nothing new: \(again.isDuplicate)")
            try reopened.close()
        }
    }

    /// Shows what is short, while the server changes.
    private static func watch(_ warehouse: Warehouse, _ api: APIClient) async throws {
        try warehouse.setAlarm("LAMP", below: 10)
        var shortages = warehouse.shortages().makeAsyncIterator()
        print("To order: \(try await shortages.next()?.map(\.name) ?? [])")

        print("The server sells four lamps, and gives up ropes.")
        var lamp: Article = try await api.get("articles/LAMP")
        lamp.count = 8
        try await api.put("articles/LAMP", json: lamp)
        try await api.delete("articles/ROPE")
        let delta = try await warehouse.synchronize()
        print("Delta: \(delta.counts.upserts) row, \(delta.counts.deletes) deleted")
        print("To order: \(try await shortages.next()?.map { "\($0.name), \($0.count) left" } ?? [])")
        print("  value of the stock: \(try warehouse.value())")
    }
}
