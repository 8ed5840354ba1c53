import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@testable import VendorServices

/// A client that builds each request by hand.
struct HyperHiveClient {
    struct Response {
        let status: Int
        let fields: HTTPFields
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
        var version: String? { fields["Content-Version"] }
        var etag: String? { fields["ETag"] }
    }

    let service: HyperHiveService
    private let transport: any Transport
    private let origin: String
    var token: String?
    var device: String? = "D-1"

    /// A client in the service's process; tokens are `id-1`, `id-2`, ….
    init(
        clock: ManualClock = ManualClock(),
        _ configure: (inout HyperHiveService.Configuration) -> Void = { _ in }
    ) {
        service = Self.service(clock, configure)
        transport = ServiceTransport(service)
        origin = "http://hive.test"
    }

    private init(service: HyperHiveService, server: LoopbackServer) {
        self.service = service
        transport = URLSessionTransport.withoutDeadlines
        origin = "http://127.0.0.1:\(server.port)"
    }

    private static func service(
        _ clock: ManualClock, _ configure: (inout HyperHiveService.Configuration) -> Void
    ) -> HyperHiveService {
        var configuration = HyperHiveService.Configuration()
        let count = Mutex(0)
        configuration.makeID = {
            count.withLock { count in
                count += 1
                return "id-\(count)"
            }
        }
        configure(&configuration)
        return HyperHiveService(configuration, clock: clock)
    }

    /// A signed-in client in the service's process.
    static func signedIn(
        _ configure: (inout HyperHiveService.Configuration) -> Void = { _ in }
    ) async throws -> HyperHiveClient {
        var client = HyperHiveClient(configure)
        try await client.signIn()
        return client
    }

    /// Runs `body` with a signed-in client over a socket.
    static func overSocket(
        _ configure: (inout HyperHiveService.Configuration) -> Void = { _ in },
        _ body: (HyperHiveClient) async throws -> Void
    ) async throws {
        let service = service(ManualClock(), configure)
        try await service.startServer().stopping { server in
            var client = HyperHiveClient(service: service, server: server)
            try await client.signIn()
            try await body(client)
        }
    }

    mutating func signIn(_ user: String = "ann", _ password: String = "open sesame") async throws {
        let response = try await authenticate(user, password)
        #expect(response.status == 200)
        token = try #require(response.json["token"]?.string)
    }

    func authenticate(
        _ user: String, _ password: String, body: JSONValue = ["environment": "my env", "project": "p"]
    ) async throws -> Response {
        let credential = Data("\(user):\(password)".utf8).base64EncodedString()
        return try await send("POST", "auth/", ["Authorization": "Basic \(credential)"], body: body.description)
    }

    func send(
        _ method: String, _ path: String, _ fields: [String: String] = [:], body: String? = nil
    ) async throws -> Response {
        var all = try HTTPFields(fields.map { ($0.key, $0.value) })
        if let token, !all.contains(.authorization) { try all.set(.authorization, to: "Bearer \(token)") }
        if let device { try all.set("X-Device-Id", to: device) }
        if body != nil { try all.set(.contentType, to: "application/json") }
        let request = try HTTPRequest(
            HTTPMethod(method), "\(origin)/api/v1/\(path)", fields: all, body: body.map { .text($0) } ?? .empty)
        let response = try await transport.send(request)
        return Response(status: response.status.code, fields: response.fields, body: response.body)
    }

    /// Calls a resource.
    func call(
        _ resource: String = "FRUITS", _ inputs: JSONValue = [:], _ fields: [String: String] = [:]
    ) async throws -> Response {
        try await send("POST", "rpc/\(resource)/", fields, body: inputs.description)
    }

    /// Calls a resource with `X-Delta`.
    func delta(
        _ range: String, _ resource: String = "FRUITS", _ inputs: JSONValue = [:], _ fields: [String: String] = [:]
    ) async throws -> Response {
        try await call(resource, inputs, fields.merging(["X-Delta": range]) { first, _ in first })
    }
}

extension JSONValue {
    /// The first elements of the rows in a member of a table in a response: those with `hhive_id`.
    func ids(_ member: String, table: Int = 0) -> [Int64] {
        let elements = self[table]?[member]?.array ?? []
        return elements.compactMap { $0.integer ?? $0[0]?.integer }
    }
}
