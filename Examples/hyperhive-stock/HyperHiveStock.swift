import ExampleSupport
import Foundation
import HyperHive
import PatchbayTestKit
import StoreCore
import VendorServices

private struct Fruit: Decodable, Sendable {
    let id: Int
    let name: String?
    let region: String?
}

@main struct HyperHiveStock: Example {
    static let name = "hyperhive-stock"
    static let summary = "An app for HyperHive: sign in, load a table, read it with SQL, change it, load the changes."
    static let requirements = """
        URL is the host of a platform of version v1 with the environment work and the project shop: the resource FRUITS,
        whose output_table has the columns id, name and region, and FRUITS_CHANGE, which changes its rows by
        upsert_rows and delete_ids. The user is PATCHBAY_USER, with PATCHBAY_PASSWORD.
        A run changes the rows 1 and 5, and deletes row 4.
        """

    static func startServer() throws -> LoopbackServer { try HyperHiveService().startServer() }

    static func run(at server: String) async throws {
        let controller = HHFWController.sharedInstance()
        // The messages of the store and the log go where the app wants them.
        controller.log = { print("  log:", $0) }
        controller.initWithCredentials(
            "v1", host: server + "/", environment: "work", project: "shop", device: "device-1")
        let (user, password) = try (user, password)
        _ = try await Envelope.checked("The sign-in") { controller.auth(user, password: password, handler: $0) }
        print("Signed in: \(controller.isAuthorized)")
        try await ScratchFolder.with { folder in
            let path = folder.appending(path: "shop.sqlite").path
            guard controller.openBase(path, key: nil) else {
                throw Envelope.Failure(description: controller.lastError?.message ?? "The database cannot be opened.")
            }
            defer { controller.closeBase(path) }
            try await synchronize(controller, path)
        }
    }

    private static func synchronize(_ controller: HHFWController, _ path: String) async throws {
        // Once after an update of the app: the schemas, which create the tables.
        _ = try await Envelope.checked("The schema") { controller.resources(path, handler: $0) }
        print("First load: \(try await load(controller, path).changes) rows")
        try show(controller, path)

        print("A change: a new row, a changed and a deleted one.")
        let change = TableCallParams()
        change.data = #"{"upsert_rows": [[5, "Plum", "west"], [1, "Golden apple", "east"]], "delete_ids": [[4]]}"#
        _ = try await Envelope.checked("The change") { handler in
            controller.tableAsync("FRUITS_CHANGE", transactionID: nil, tableCallParams: change, handler: handler)
        }
        // Only the changes are sent; a changed row counts as a deletion and an insertion.
        print("Second load: \(try await load(controller, path).changes) changes")
        try show(controller, path)
        print("Third load: HTTP status \(try await load(controller, path).httpStatus ?? 0)")

        let unknown = await Envelope.of { handler in
            controller.deltaStreamAsync("NUTS", withCache: true, deltaStreamCallParams: params(path), handler: handler)
        }
        print("An unknown resource: \(unknown.status), current: \(unknown.isCurrent)")
    }

    private static func load(_ controller: HHFWController, _ path: String) async throws -> Envelope {
        try await Envelope.checked("The load") { handler in
            controller.deltaStreamAsync(
                "FRUITS", withCache: true, deltaStreamCallParams: params(path), handler: handler)
        }
    }

    private static func params(_ path: String) -> DeltaStreamCallParams {
        let params = DeltaStreamCallParams()
        params.dataBasePath = path
        return params
    }

    /// Reads the rows into structs; `controller.query` returns the vendor's JSON text instead.
    private static func show(_ controller: HHFWController, _ path: String) throws {
        let region = "east"
        let store = try controller.client.database(at: path)
        let fruits = try store.rows(
            as: Fruit.self, "SELECT id, name, region FROM FRUITS_output_table WHERE region = \(region) ORDER BY id")
        print("  in the \(region):", fruits.map { "\($0.id) \($0.name ?? "unnamed")" }.joined(separator: ", "))
        let count = try store.value(of: Int.self, "SELECT count(*) FROM FRUITS_output_table")
        print("  in all: \(count ?? 0) rows")
    }
}
