import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import StoreCore
import VendorServices

/// Shows a resource of 100,000 rows in a local database, with HyperHive's API. The server runs in this process.
func hyperHiveTour() async throws {
    let articles = HyperHiveService.Table(
        "articles", [.init("id", .bigint), .init("label"), .init("price", .double)], generated: rowCount)
    var settings = HyperHiveService.Configuration()
    settings.resources = [.init("STOCK", tables: [articles])]
    let service = HyperHiveService(settings)
    let server = try service.startServer()
    print("\nA HyperHive server runs at \(server.url), in this process.")
    do {
        try await keepStock(service, server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

private let rowCount = 100_000

/// A call of the tour that failed.
private struct CallFailed: Error, CustomStringConvertible {
    let description: String
}

/// Works with a database in a temporary folder.
private func keepStock(_ service: HyperHiveService, _ server: LoopbackServer) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "stock.sqlite").path
    let controller = HHFWController.sharedInstance()
    let transcript = Transcript(server: server)
    try await signIn(controller, server, transcript)
    try openDatabase(controller, path, transcript)
    defer { controller.closeBase(path) }
    try await loadResources(controller, path, transcript)
    try await loadAll(controller, path, transcript)
    try await loadChanges(controller, path, service, transcript)
    try readRows(controller, path, transcript)
}

private func signIn(_ controller: HHFWController, _ server: LoopbackServer, _ transcript: Transcript) async throws {
    transcript.section("Sign in; the controller keeps the token")
    let host = "http://127.0.0.1:\(server.port)/"
    let status = await withCheckedContinuation { done in
        // show
        controller.initWithCredentials("v1", host: host, environment: "work", project: "shop", device: "device-1")
        controller.auth("ann", password: "open sesame") { result in
            done.resume(returning: (result as? NSDictionary)?["status"] as? String)
        }
        // end
    }
    transcript.showRequests()
    guard status == "ok" else { throw CallFailed(description: "The sign-in failed: \(status ?? "no status")") }
    transcript.showResult("signed in: \(controller.isAuthorized)")
}

private func openDatabase(_ controller: HHFWController, _ path: String, _ transcript: Transcript) throws {
    transcript.section("Open a database file")
    // show
    let isOpen = controller.openBase(path, key: nil)
    // end
    guard isOpen else {
        throw CallFailed(description: controller.lastError?.description ?? "The database cannot be opened")
    }
    transcript.showResult("stock.sqlite is open")
}

private func loadResources(_ controller: HHFWController, _ path: String, _ transcript: Transcript) async throws {
    transcript.section("Load the schemas of the resources, which creates their tables")
    let status = await withCheckedContinuation { done in
        // show
        controller.resources(path) { result in
            done.resume(returning: (result as? NSDictionary)?["status"] as? String)
        }
        // end
    }
    transcript.showRequests()
    guard status == "ok" else { throw CallFailed(description: "No resources: \(status ?? "no status")") }
    transcript.showResult("tables: \(try controller.client.tableNames(of: "STOCK", in: path))")
}

/// Loads all rows. The vendor's handlers have no progress; the controller's client has.
private func loadAll(_ controller: HHFWController, _ path: String, _ transcript: Transcript) async throws {
    transcript.section("Load all rows, with progress")
    // show
    let bar = ProgressBar()
    let progress = HyperHiveProgressFeed()
    async let sync = controller.client.syncDelta("STOCK", into: path, progress: progress)
    for await value in progress.updates { bar.setProgress(Float(value.rows) / Float(rowCount)) }
    let rows = try await sync.upserts
    // end
    transcript.showRequests()
    print("first load: \(rows) rows")
}

/// Changes rows on the server, and loads only the changes.
private func loadChanges(
    _ controller: HHFWController, _ path: String, _ service: HyperHiveService, _ transcript: Transcript
) async throws {
    transcript.section("Change rows on the server; the next load gets only the changes")
    try service.changeGenerated("STOCK", updated: 0.01, deleted: 0.002, inserted: 500)
    let changes = await withCheckedContinuation { done in
        // show
        let parameters = DeltaStreamCallParams()
        parameters.dataBasePath = path
        controller.deltaStreamAsync("STOCK", withCache: true, deltaStreamCallParams: parameters) { result in
            let result = (result as? NSDictionary)?["result"] as? [String: Any]
            let database = result?["database"] as? [String: Any]
            done.resume(returning: (database?["changes"] as? [String: Any])?["updated"] as? Int)
        }
        // end
    }
    transcript.showRequests()
    guard let changes else { throw CallFailed(description: "The changes of STOCK were not loaded") }
    let count = try controller.client.database(at: path).value(of: Int.self, "SELECT count(*) FROM STOCK_articles")
    // A changed row has a new id: it counts as a deletion and an insertion.
    print("delta: \(changes) insertions and deletions, \(count ?? 0) rows now")
}

private struct Article: Decodable {
    let id: Int
    let label: String?
    let price: Double
}

/// Reads rows as the vendor's JSON, and as structs.
private func readRows(_ controller: HHFWController, _ path: String, _ transcript: Transcript) throws {
    transcript.section("Query with SQL: the vendor's envelope as JSON text")
    // show
    let sql = "SELECT id, price FROM STOCK_articles WHERE price > 65500 ORDER BY price DESC LIMIT 3"
    let text = controller.query(path, query: sql) ?? ""
    // end
    let records = try JSONValue(parsing: Data(text.utf8))["result"]?["database"]?["records"]
    guard let records = records?.array else { throw CallFailed(description: "The query failed: \(text)") }
    print("query: \(records.count) rows")
    for record in records { transcript.showResult(record) }

    transcript.section("Query into structs; values are parameters")
    let least = 65_500.0
    // show
    let database = try controller.client.database(at: path)
    let articles = try database.rows(
        as: Article.self, "SELECT id, label, price FROM STOCK_articles WHERE price > \(least) ORDER BY price DESC")
    // end
    print("structs: \(articles.count) rows")
    for article in articles.prefix(3) {
        transcript.showResult("\(article.id), \(article.label ?? "no label"): \(article.price)")
    }
}
