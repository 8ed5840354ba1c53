import DeltaSync
import ExampleSupport
import Patchbay
import PatchbayTestKit
import SQLiteStore
import VendorServices

@main struct StockSync: Example {
    static let name = "stock-sync"
    static let summary = "A table that a server keeps up to date, and SQL over it. Warehouse.swift is the app."
    static let requirements = """
        The server has articles with id, name, price and count, among them LAMP and ROPE: /articles/ID (GET, PUT, DELETE);
        and GET /changes{?since}, the rows of the table article that have changed, with etag, as JSONDeltaSource reads
        them. A run sets the count of LAMP and deletes ROPE, and puts both back at its end.
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
        let before: [Article] = try await [api.get("articles/LAMP"), api.get("articles/ROPE")]
        do {
            try await ScratchFolder.with { folder in try await follow(api, folder.appending(path: "stock.sqlite").path)
            }
        } catch {
            try? await restore(before, api)
            throw error
        }
        try await restore(before, api)
    }

    private static func follow(_ api: APIClient, _ file: String) async throws {
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

    /// Shows what is short, while the server changes.
    private static func watch(_ warehouse: Warehouse, _ api: APIClient) async throws {
        try warehouse.setAlarm("LAMP", below: 10)
        // A screen follows the query in a task of its own.
        let screen = Task { try await warehouse.shortages().first { !$0.isEmpty } ?? [] }
        defer { screen.cancel() }
        print("To order: \(try warehouse.toOrder().map(\.name))")

        print("The server sells lamps until eight are left, and gives up ropes.")
        var lamp: Article = try await api.get("articles/LAMP")
        lamp.count = 8
        try await api.put("articles/LAMP", json: lamp)
        try await api.delete("articles/ROPE")
        let delta = try await warehouse.synchronize()
        print("Delta: \(delta.counts.upserts) row, \(delta.counts.deletes) deleted")
        // Not the next value of the screen: there is none after changes that leave the result as it was.
        let short = try warehouse.toOrder()
        print("To order: \(short.map { "\($0.name), \($0.count) left" })")
        if !short.isEmpty { print("On screen: \(try await screen.value.map(\.name))") }
        print("  value of the stock: \(try warehouse.value())")
    }

    /// Undoes what this run has changed.
    private static func restore(_ articles: [Article], _ api: APIClient) async throws {
        var failure: (any Error)?
        for article in articles {
            do { try await api.put("articles/\(article.id)", json: article) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
