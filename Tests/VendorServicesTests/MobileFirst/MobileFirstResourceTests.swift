import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

struct MobileFirstResourceTests {
    @Test func `a protected adapter challenges for a token and its scope`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let plain = try await client.token(id)
        let bank = "Bearer error=\"insufficient_scope\", scope=\"RegisteredClient transfer\""
        let invalid = "Bearer error=\"invalid_token\""
        let rows: [(adapter: String, token: String?, status: Int, challenge: String?)] = [
            ("Public/echo", nil, 200, nil), ("Public/echo", "x", 200, nil),
            ("Secure/echo", nil, 401, "Bearer"), ("Secure/echo", "x", 401, invalid),
            ("Secure/echo", plain, 200, nil), ("Secure/echo", plain + ",", 401, invalid),
            ("Bank/balance", nil, 403, bank), ("Bank/balance", "x", 401, invalid), ("Bank/balance", plain, 403, bank),
            ("Bank/other", plain, 404, nil),
        ]
        for row in rows {
            let response = try await client.call(row.adapter, token: row.token)
            #expect(response.status == row.status, "\(row.adapter)")
            #expect(response.fields[.wwwAuthenticate] == row.challenge, "\(row.adapter)")
        }
    }

    @Test func `the realm comes first in a challenge`() async throws {
        let client = MobileFirstClient { $0.realm = "bank" }
        try await #expect(client.call("Secure/echo").fields[.wwwAuthenticate] == "Bearer realm=\"bank\"")
        let response = try await client.call("User/profile")
        #expect(
            response.fields[.wwwAuthenticate]
                == "Bearer realm=\"bank\", error=\"insufficient_scope\", scope=\"profile\"")
    }

    @Test func `a token's elements must include those of the adapter in any order`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        _ = try await client.preauthorize(id, "transfer", ["PinCode": ["pin": "1234"]])
        for (scope, status) in [("transfer RegisteredClient", 200), ("transfer", 403)] {
            let token = try await client.token(id, scope)
            try await #expect(client.call("Bank/balance", token: token).status == status)
        }
    }

    @Test func `echo returns each part of a request without its token`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let token = try await client.token(id)
        let response = try await client.send(
            .post, "/api/adapters/Secure/echo?a=1&a=%2B+2&b",
            fields: [
                "Authorization": "Bearer \(token)", "Content-Type": "application/x-www-form-urlencoded", "X-One": "1",
                "x-two": "2",
            ], body: .text("k=%25+%2B&k=2"))
        let expected: JSONValue = [
            "method": "POST", "path": "/mfp/api/adapters/Secure/echo", "queryString": "a=1&a=%2B+2&b",
            "query": ["a": ["1", "+ 2"], "b": [""]], "contentType": "application/x-www-form-urlencoded",
            "headers": ["x-one": "1", "x-two": "2", "content-type": "application/x-www-form-urlencoded"],
            "body": "k=%25+%2B&k=2", "form": ["k": ["% +", "2"]], "json": nil, "clientID": .string(id),
            "scope": "RegisteredClient",
        ]
        #expect(response.json == expected)
        let json = try await client.send(.put, "/api/adapters/Public/echo", json: ["a": [1]])
        #expect(json.json["json"] == ["a": [1]])
        #expect(json.json["form"] == .null)
    }

    @Test func `standard adapters`() async throws {
        let client = MobileFirstClient()
        for code in [200, 201, 204, 299, 300, 404, 500] {
            try await #expect(client.call("Public/status/\(code)").status == code)
        }
        for tail in ["", "/x", "/100", "/99"] {
            try await #expect(client.call("Public/status\(tail)").status == 404)
        }
        try await #expect(client.call("Public/array").json == [1, 2, 3])
        let binary = try await client.service.respond(
            to: HTTPRequest(.get, "http://mfp.test/mfp/api/adapters/Public/binary"))
        #expect(binary.body == Data(0...255))
        let literal = "['value1', 'value2']"
        let query = try await client.call("Js/add?params=%5B'value1'%2C%20'value2'%5D")
        #expect(query.json == ["isSuccessful": true, "params": .string(literal)])
        let form = try await client.send("/api/adapters/Js/add", form: ["params": literal])
        #expect(form.json["params"] == .string(literal))
        try await #expect(client.call("Js/add").json["isSuccessful"] == false)
    }

    @Test func `the longest matching adapter gets the rest of the path`() async throws {
        typealias Adapter = MobileFirstService.Adapter
        let client = MobileFirstClient { configuration in
            configuration.adapters = ["A", "A/b"].map { path in
                Adapter(path) { request, context in
                    request.response(json: .string(path + ":" + context.tail.description))
                }
            }
        }
        try await #expect(client.call("A/c%20d/").json == #"A:["c d"]"#)
        try await #expect(client.call("A/b/c").json == #"A/b:["c"]"#)
        try await #expect(client.call("A/b").json == "A/b:[]")
        try await #expect(client.call("B").status == 404)
        try await #expect(client.call("A//b").status == 404)
        try await #expect(client.call("A", method: .trace).status == 405)
    }

    @Test func `paths outside of the API are not found`() async throws {
        let client = MobileFirstClient()
        for path in [
            "", "/", "/api", "/api/unknown", "//api/reach", "/api/preauth/v1/preauthorize/x", "/gateway/login",
        ] {
            try await #expect(client.send(.get, path).status == 404, "\(path)")
        }
        try await #expect(client.send(.get, "/api/reach").status == 200)
        try await #expect(client.send(.post, "/api/reach").status == 405)
    }

    @Test func `malformed credentials are refused`() async throws {
        let client = MobileFirstClient()
        for endpoint in ["/api/reach", "/api/adapters/Public/echo"] {
            try await #expect(client.send(.get, endpoint, fields: ["Authorization": ""]).status == 400)
        }
        let twice = try await client.send(
            .get, "/api/adapters/Secure/echo", fields: ["Authorization": "Bearer a", "authorization": "Bearer b"])
        #expect(twice.status == 400)
        let basic = try await client.send(.get, "/api/adapters/Secure/echo", fields: ["Authorization": "Basic a"])
        #expect(basic.fields[.wwwAuthenticate] == "Bearer")
    }

    @Test func `injected faults are served in their order`() async throws {
        let client = MobileFirstClient()
        client.service.inject(.conflict, at: .adapter, count: 2)
        client.service.inject(.status(.internalServerError), at: .adapter)
        client.service.inject(.invalidClientID, at: .reach)
        for _ in 0..<2 {
            let response = try await client.call("Public/echo")
            #expect(response.status == 409)
            #expect(response.fields["MFP-Conflict"] != nil)
        }
        try await #expect(client.call("Public/echo").status == 500)
        try await #expect(client.call("Public/echo").status == 200)
        try await #expect(client.send(.get, "/api/reach").json["errorCode"] == "INVALID_CLIENT_ID")
        #expect(client.service.counts.requests == [.adapter: 4, .reach: 1])
    }

    @Test(.needsSlot) func `a stalled request ends when it is cancelled`() async throws {
        let client = MobileFirstClient()
        client.service.inject(.stall, at: .reach)
        let task = Task { try await client.send(.get, "/api/reach").status }
        try await eventually("the request has arrived") { client.service.counts.requests(to: .reach) == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the gateway's page precedes the server until login`() async throws {
        let client = MobileFirstClient { $0.gateway = MobileFirstService.Gateway() }
        let page = try await client.call("Public/text")
        #expect(page.status == 401)
        #expect(page.fields[.wwwAuthenticate] == nil)
        #expect(page.fields[.contentType] == "text/html; charset=utf-8")
        #expect(client.service.counts.requests == [:])
        try await #expect(client.send(.get, "/api/reach").status == 200)

        let path = "/gateway/login"
        try await #expect(client.send(path, form: ["j_username": "ann", "j_password": "x"]).status == 403)
        let login = try await client.send(path, form: ["j_username": "ann", "j_password": "open sesame"])
        #expect(login.status == 200)
        let cookie = try #require(login.fields[.setCookie]?.split(separator: ";").first.map(String.init))
        func status() async throws -> Int {
            try await client.send(.get, "/api/adapters/Public/text", fields: ["Cookie": "a=b; \(cookie)"]).status
        }
        #expect(try await status() == 200)
        client.service.closeGateway()
        #expect(try await status() == 401)
    }

    @Test func `a gateway may redirect to its page`() async throws {
        let client = MobileFirstClient { $0.gateway = MobileFirstService.Gateway(status: .found, endpoints: [.reach]) }
        let response = try await client.send(.get, "/api/reach")
        #expect(response.status == 302)
        #expect(response.fields[.location] == "http://mfp.test:80/mfp/gateway/login")
        try await #expect(client.call("Public/text").status == 200)
    }

    @Test(.needsSlot) func `the service works over a socket`() async throws {
        try await LoopbackServer.serving(MobileFirstService()) { server in
            let transport = URLSessionTransport.withoutDeadlines
            let refused = try await transport.send(HTTPRequest(.get, server.url(of: "/mfp/api/adapters/Bank/balance")))
            #expect(refused.status == .forbidden)
            #expect(
                refused.fields[.wwwAuthenticate]
                    == "Bearer error=\"insufficient_scope\", scope=\"RegisteredClient transfer\"")
            let binary = try await transport.send(HTTPRequest(.get, server.url(of: "/mfp/api/adapters/Public/binary")))
            #expect(binary.body == Data(0...255))
        }
    }

    @Test func `descriptions contain no secrets`() {
        var configuration = MobileFirstService.Configuration()
        configuration.confidentialClients = ["id": "top-secret-1"]
        configuration.checks = [.pin("top-secret-2"), .credentials(["ann": "top-secret-3"])]
        configuration.gateway = MobileFirstService.Gateway(users: ["ann": "top-secret-4"])
        var text = "\(configuration)" + String(reflecting: configuration)
        dump(configuration, to: &text)
        #expect(!text.contains("top-secret"))
    }
}
