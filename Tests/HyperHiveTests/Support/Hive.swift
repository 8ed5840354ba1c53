import Delegation
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import SQLiteStore
import StoreCore
import TestSupport
import Transport
import VendorServices

/// A client and a controller over a local server, with a folder for documents and a manual clock.
struct Hive: Sendable {
    static let database = "fruits.sqlite"

    let service: HyperHiveService
    let server: LoopbackServer
    let folder: TemporaryFolder
    let clock = ManualClock()
    let client: HyperHive
    let controller: HHFWController

    /// Runs a test with a server of its own.
    static func serving(
        _ settings: HyperHiveService.Configuration = .init(), wire: some HyperHiveWire = FMPWire(),
        options change: (inout HyperHiveOptions) -> Void = { _ in }, _ body: (Hive) async throws -> Void
    ) async throws {
        let service = HyperHiveService(settings)
        try await service.startServer().stopping { server in
            try await body(Hive(service, server, wire, change))
        }
    }

    private init(
        _ service: HyperHiveService, _ server: LoopbackServer, _ wire: some HyperHiveWire,
        _ change: (inout HyperHiveOptions) -> Void
    ) throws {
        (self.service, self.server) = (service, server)
        folder = try TemporaryFolder()
        var options = HyperHiveOptions(documentsFolder: folder.url.path)
        change(&options)
        let configuration = HyperHiveConfiguration(
            host: "http://127.0.0.1:\(server.port)/", environment: "work env", project: "shop", device: "device-1")
        client = HyperHive(
            configuration, transport: TestTransport.withoutDeadlines, wire: wire, options: options, clock: clock)
        controller = HHFWController(client: client)
        controller.delivery = .inline
    }

    /// Signs in, opens the database and loads the schema.
    @discardableResult
    func prepare() async throws -> any LocalStore {
        try await client.signIn("ann", password: "open sesame")
        let store = try client.openDatabase(Self.database)
        try await client.loadResources(into: Self.database)
        return store
    }

    @discardableResult
    func sync(
        _ resource: String = "FRUITS", parameters: String = "", options: HyperHiveCallOptions = .init()
    ) async throws(HyperHiveError) -> HyperHiveSync {
        try await client.syncDelta(resource, parameters: parameters, into: Self.database, options: options)
    }

    /// The error of a sync that must fail.
    func syncError(_ resource: String = "FRUITS", options: HyperHiveCallOptions = .init()) async -> HyperHiveError? {
        do throws(HyperHiveError) {
            _ = try await sync(resource, options: options)
            return nil
        } catch {
            return error
        }
    }

    /// The rows of a query, as JSON.
    func rows(_ sql: String = "SELECT id, name FROM FRUITS_output_table ORDER BY id") throws -> String {
        String(decoding: try client.database(at: Self.database).queryJSON(sql, []), as: UTF8.self)
    }

    /// Values of a field in all requests to resources, of this server or another one.
    func sent(_ field: String, to server: LoopbackServer? = nil) -> [String?] {
        (server ?? self.server).requests.filter { $0.target.contains("/rpc/") }.map { $0.fields[field] }
    }
}

/// The envelope that a handler gets; null when it is no dictionary.
func envelope(_ object: Any?) -> JSONValue {
    (object as? NSDictionary).flatMap { try? JSONValue(foundation: $0) } ?? .null
}

/// The envelope of an asynchronous call.
func result(of call: (@escaping (Any?) -> Void) -> Void) async -> JSONValue {
    await withCheckedContinuation { done in call { done.resume(returning: envelope($0)) } }
}

/// Runs blocking calls on a thread of their own, since they would block a thread of the cooperative pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result(catching: body)) }
    }
}
