import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct RedirectTests {
    private static let rows: JSONValue = [["name": "t", "data": [[1]]]]

    /// A server that signs in, redirects other calls of its API, and responds elsewhere with a table.
    private func server(_ status: HTTPStatus, to location: String, then target: HTTPStatus = .ok) throws
        -> LoopbackServer
    {
        try LoopbackServer { request in
            let path = request.url.path()
            if path.hasSuffix("/auth/") { return request.response(json: ["token": "t0ken"]) }
            guard path.hasPrefix("/api/") else { return request.response(target, json: Self.rows) }
            return request.response(status, fields: try HTTPFields(["Location": location]))
        }
    }

    private func client(_ server: LoopbackServer) async throws -> HyperHive {
        let client = HyperHive(
            HyperHiveConfiguration(
                host: "http://127.0.0.1:\(server.port)", environment: "e", project: "p", device: "d"))
        try await client.signIn("ann", password: "open sesame")
        return client
    }

    @Test(arguments: [HTTPStatus.movedPermanently, .found, .temporaryRedirect, .permanentRedirect])
    func `a redirect within the server keeps POST, its parameters and the token`(status: HTTPStatus) async throws {
        try await server(status, to: "/moved").stopping { server in
            let tables = try await client(server).table("R", parameters: #"{"IV":1}"#)
            #expect(tables.map(\.name) == ["t"] && tables.map(\.rows) == [[[1]]])
            let last = try #require(server.requests.last)
            #expect(last.requestLine == "POST /moved HTTP/1.1" && last.body == Data(#"{"IV":1}"#.utf8))
            #expect(last.fields["Authorization"] == "Bearer t0ken" && last.fields["X-Device-Id"] == "d")
        }
    }

    @Test func `all calls work over a server that moved`() async throws {
        let service = HyperHiveService(
            {
                var settings = HyperHiveService.Configuration()
                settings.path = "/hive"
                return settings
            }())
        let server = try LoopbackServer { request in
            let path = request.url.path()
            guard !path.hasPrefix("/hive/") else { return try await service.respond(to: request) }
            return request.response(.found, fields: try HTTPFields(["Location": "/hive" + path]))
        }
        try await server.stopping { server in
            let client = HyperHive(
                HyperHiveConfiguration(
                    host: "http://127.0.0.1:\(server.port)", environment: "e", project: "p", device: "d"))
            try await client.signIn("ann", password: "open sesame")
            try client.openDatabase(":memory:")
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").upserts == 4)
            try service.change("FRUITS", delete: [101])
            #expect(try await client.syncDelta("FRUITS", into: ":memory:").deletes == 1)
        }
    }

    @Test func `a redirect that would make a POST a GET is an error with its status and target`() async throws {
        try await server(.seeOther, to: "/moved?token=s3cret").stopping { server in
            let client = try await client(server)
            let error = await #expect(throws: HyperHiveError.self) { try await client.table("R") }
            let failure = try #require(error?.result.errors.first)
            #expect(error?.code == .status && failure.source == .server && failure.code == 303)
            #expect(failure.description.contains("303") && failure.description.contains("/moved"))
            #expect(!failure.description.contains("s3cret") && error?.result.text.contains("s3cret") == false)
            #expect(server.requestCount == 2 && client.isSignedIn)
        }
    }

    @Test(arguments: [HTTPStatus.movedPermanently, .seeOther, .permanentRedirect])
    func `parameters are not sent to another server`(status: HTTPStatus) async throws {
        try await LoopbackServer { $0.response(json: Self.rows) }.stopping { other in
            try await server(status, to: "http://127.0.0.1:\(other.port)/moved").stopping { server in
                let client = try await client(server)
                let error = await #expect(throws: HyperHiveError.self) { try await client.table("R") }
                #expect(error?.code == .status && error?.result.errors.first?.code == status.code)
                #expect(error?.message.contains("127.0.0.1:\(other.port)/moved") == true)
                #expect(other.requestCount == 0)
            }
        }
    }

    @Test(arguments: [HTTPStatus.seeOther, .permanentRedirect])
    func `a DELETE neither becomes a GET nor goes to another server`(status: HTTPStatus) async throws {
        try await LoopbackServer { $0.response(.noContent) }.stopping { other in
            try await server(status, to: "http://127.0.0.1:\(other.port)/moved").stopping { server in
                let client = try await client(server)
                let error = await #expect(throws: HyperHiveError.self) {
                    try await client.deleteTransaction(UUID().uuidString, of: "R")
                }
                #expect(error?.result.errors.map(\.source) == [.server])
                #expect(error?.code == .status && error?.result.errors.first?.code == status.code)
                #expect(other.requestCount == 0)
            }
        }
    }

    @Test func `a GET is not redirected from https to http`() async throws {
        let fields = try HTTPFields(["Location": "http://h/moved"])
        let transport = ScriptedTransport([.response(.found, fields: fields)], then: .json([]))
        let client = HyperHive(
            HyperHiveConfiguration(host: "https://h", environment: "e", project: "p", device: "d"),
            transport: transport)
        let error = await #expect(throws: HyperHiveError.self) { try await client.transactions(of: "R") }
        #expect(error?.code == .transport && transport.requests.count == 1)
    }

    @Test(
        arguments: [(.seeOther, .malformedResponse, 2), (.temporaryRedirect, .transport, 1)]
            as [(HTTPStatus, HyperHiveError.Code, Int)])
    func `a sign-in gets no token of another server, to which the transport follows a redirect`(
        status: HTTPStatus, code: HyperHiveError.Code, count: Int
    ) async throws {
        let transport = ScriptedTransport { request in
            guard request.url.host() == "h" else { return request.response(json: ["token": "t0ken-of-another"]) }
            return request.response(status, fields: try HTTPFields(["Location": "https://other.example/"]))
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "https://h", environment: "e", project: "p", device: "d"),
            transport: transport.redirecting())
        let error = await #expect(throws: HyperHiveError.self) {
            try await client.signIn("ann", password: "open sesame")
        }
        #expect(error?.code == code && !client.isSignedIn)
        // The body, in which a wire may have the password, goes nowhere else.
        #expect(transport.requests.count == count && transport.requests.first?.options.hasSecretBody == true)
    }

    @Test func `a sign-in at another host, which a layer has chosen without a redirect, gets its token`() async throws {
        let transport = ScriptedTransport { request in
            var response = request.response(json: ["token": "t0ken"])
            response.head.url = try URL(httpString: "https://other.example\(request.url.path())")
            return response
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "https://h", environment: "e", project: "p", device: "d"),
            transport: transport)
        try await client.signIn("ann", password: "open sesame")
        #expect(client.isSignedIn)
    }

    @Test func `a 401 of another server keeps the token, and one of the own server ends it`() async throws {
        try await LoopbackServer { $0.response(.unauthorized) }.stopping { other in
            try await server(.found, to: "http://127.0.0.1:\(other.port)/moved").stopping { server in
                let client = try await client(server)
                let error = await #expect(throws: HyperHiveError.self) { try await client.transactions(of: "R") }
                #expect(error?.code == .unauthorized && client.isSignedIn)
                let fields = try #require(other.requests.first).fields
                #expect(fields["Authorization"] == nil && fields["X-Device-Id"] == nil)
            }
        }
        try await server(.found, to: "/moved", then: .unauthorized).stopping { server in
            let client = try await client(server)
            await #expect(throws: HyperHiveError.self) { try await client.transactions(of: "R") }
            #expect(!client.isSignedIn)
        }
    }
}
