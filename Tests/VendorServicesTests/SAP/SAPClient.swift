import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing

@testable import VendorServices

/// A client that builds each request by hand.
struct SAPClient {
    struct Response {
        let status: Int
        let fields: HTTPFields
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
        /// The values of the cookies by name.
        var cookies: [String: String] {
            let pairs = fields.values(of: .setCookie).map {
                $0.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            }
            return Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { _, last in last }
        }
    }

    static let basic = "Basic " + Data("ann:open sesame".utf8).base64EncodedString()
    static let connections = "/odata/applications/latest/com.example.app/Connections"

    let service: SAPService
    let clock: ManualClock
    /// The field `Authorization` of each request; nil for none.
    var authorization: String? = Self.basic
    /// The id of the registration that each request sends.
    var appcid: String?

    /// Creates a client of a service whose ids are `id-1`, `id-2`, ….
    init(clock: ManualClock = ManualClock(), _ configure: (inout SAPService.Configuration) -> Void = { _ in }) {
        var configuration = SAPService.Configuration()
        let count = Counter()
        configuration.makeID = { "id-\(count.next())" }
        configure(&configuration)
        service = SAPService(configuration, clock: clock)
        self.clock = clock
    }

    /// A client with a registration, whose id is `app`.
    static func registered(
        _ configure: (inout SAPService.Configuration) -> Void = { _ in }
    ) async throws -> SAPClient {
        var client = SAPClient(clock: ManualClock(), configure)
        client.appcid = "app"
        #expect(try await client.send("POST", connections, fields: atomType, body: "".entry).status == 201)
        return client
    }

    static let atomType = ["Content-Type": "application/atom+xml"]

    func send(
        _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil
    ) async throws -> Response {
        var all = try HTTPFields(fields.map { ($0.key, $0.value) })
        if let authorization, !all.contains(.authorization) { try all.set(.authorization, to: authorization) }
        if let appcid { try all.set("X-SMP-APPCID", to: appcid) }
        let request = try HTTPRequest(
            HTTPMethod(method), "http://sap.test:8080" + path, fields: all, body: body.map { .text($0) } ?? .empty)
        let response = try await service.respond(to: request)
        return Response(status: response.status.code, fields: response.fields, body: response.body)
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Response {
        try await send("GET", path, fields: fields)
    }

    /// A write of JSON that needs no token.
    func write(_ method: String, _ path: String, _ json: JSONValue, ifMatch: String? = nil) async throws -> Response {
        var fields = ["Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest"]
        fields["If-Match"] = ifMatch
        return try await send(method, path, fields: fields, body: json.description)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

extension String {
    /// An Atom entry with these properties in XML.
    var entry: String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
            xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
          <title>an entry</title><content type="application/xml"><m:properties>\(self)</m:properties></content>
        </entry>
        """
    }
}
