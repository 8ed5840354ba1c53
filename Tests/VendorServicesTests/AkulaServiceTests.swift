import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct AkulaServiceTests {
    enum Route: CaseIterable {
        case direct
        case socket
    }

    /// Sends requests to a service, directly or over a socket.
    struct Client {
        let origin: String
        let send: (HTTPRequest) async throws -> HTTPResponse

        func perform(
            _ method: HTTPMethod, _ path: String, json: JSONValue? = nil, token: String? = nil,
            base: String = "/akula/myServerApp"
        ) async throws -> (status: Int, json: JSONValue) {
            var fields = HTTPFields()
            if let token { try fields.set("X-Ak-Session-Id", to: token) }
            let body = json.map { HTTPBody.text($0.description) } ?? .empty
            let response = try await send(try HTTPRequest(method, origin + base + path, fields: fields, body: body))
            let json = response.body.isEmpty ? .null : (try? JSONValue(parsing: response.body)) ?? .null
            return (response.status.code, json)
        }

        func logIn(_ user: String = "ann", _ password: String = "open sesame", token: String? = nil) async throws -> (
            status: Int, json: JSONValue
        ) {
            let credentials: JSONValue = [
                "principal": ["user": .string(user)], "secret": ["password": .string(password)],
            ]
            return try await perform(.post, "/auth/login", json: credentials, token: token)
        }

        func token() async throws -> String { try #require(try await logIn().json["token"]?.string) }
    }

    private func with(_ route: Route, _ service: AkulaService, _ body: (Client) async throws -> Void) async throws {
        switch route {
        case .direct:
            try await body(Client(origin: "http://akula.test") { try await service.respond(to: $0) })
        case .socket:
            try await LoopbackServer.serving(service) { server in
                let origin = "http://127.0.0.1:\(server.port)"
                try await body(Client(origin: origin) { try await URLSessionTransport.withoutDeadlines.send($0) })
            }
        }
    }

    @Test(arguments: Route.allCases) func `login and logout`(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            let response = try await client.logIn()
            #expect(response.status == 200)
            #expect(response.json["timeout"] == 1_800_000)
            #expect(response.json["user"] == ["name": "ann"])
            let token = try #require(response.json["token"]?.string)
            #expect(UUID(uuidString: token) != nil)
            try await #expect(client.token() != token)

            try await #expect(client.perform(.get, "/data/jsonData", token: token).json["user"] == "ann")
            try await #expect(client.perform(.post, "/auth/logout", token: token).status == 204)
            try await #expect(client.perform(.get, "/data/jsonData", token: token).status == 401)
            try await #expect(client.perform(.get, "/data/jsonData").json["user"] == .null)
            try await #expect(client.perform(.post, "/auth/logout").status == 204)
        }
    }

    @Test(arguments: Route.allCases) func `invalid credentials are refused`(route: Route)
        async throws
    {
        try await with(route, AkulaService(users: ["bob": "s"])) { client in
            try await #expect(client.logIn("bob", "s").status == 200)
            for (user, password) in [("bob", "S"), ("bob", ""), ("ann", "open sesame"), ("", "")] {
                let response = try await client.logIn(user, password)
                #expect(response.status == 401)
                #expect(response.json["description"] == "Bad credentials")
            }
            for json in [[:], [], "x", ["principal": "bob", "secret": "s"]] as [JSONValue] {
                try await #expect(client.perform(.post, "/auth/login", json: json).status == 401)
            }
            try await #expect(client.perform(.post, "/auth/login").status == 400)
        }
    }

    @Test(arguments: Route.allCases) func `login succeeds with a stale session header`(route: Route)
        async throws
    {
        try await with(route, AkulaService()) { client in
            try await #expect(client.logIn(token: "stale").status == 200)
            try await #expect(client.perform(.get, "/data/jsonData", token: "stale").status == 401)
        }
    }

    @Test(arguments: Route.allCases) func `an unused session expires`(route: Route) async throws {
        let clock = ManualClock()
        try await with(route, AkulaService(sessionTimeout: .milliseconds(1500), clock: clock)) { client in
            let response = try await client.logIn()
            #expect(response.json["timeout"] == 1500)
            let token = try #require(response.json["token"]?.string)
            for _ in 0..<3 {
                await clock.advance(by: .milliseconds(1499))
                try await #expect(client.perform(.get, "/data/items", token: token).status == 200)
            }
            await clock.advance(by: .milliseconds(1500))
            let refused = try await client.perform(.get, "/data/items", token: token)
            #expect(refused.status == 401)
            #expect(refused.json["code"] == 401)
        }
    }

    @Test(arguments: [Duration(attoseconds: .max), .zero, .seconds(-1)])
    func `timeouts of any length are accepted`(timeout: Duration) async throws {
        let clock = ManualClock()
        await clock.advance(by: .seconds(10))
        try await with(.direct, AkulaService(sessionTimeout: timeout, clock: clock)) { client in
            let token = try await client.token()
            try await #expect(client.perform(.get, "/data/items", token: token).status == (timeout > .zero ? 200 : 401))
        }
    }

    /// A body that arrives once a gate opens.
    private struct LateBody: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            let body: LateBody
            var rest: Data?

            mutating func next() async throws -> Data? {
                try await body.gate.wait()
                return rest.take()
            }
        }

        let bytes: Data
        let gate = Gate()
        func makeAsyncIterator() -> Iterator { Iterator(body: self, rest: bytes) }
    }

    @Test func `an item that is deleted while its change arrives stays deleted`() async throws {
        let service = AkulaService()
        try await with(.direct, service) { client in
            let token = try await client.token()
            let body = LateBody(bytes: Data(#"{"name":"late"}"#.utf8))
            let put = try HTTPRequest(
                .put, client.origin + "/akula/myServerApp/data/items/1",
                fields: HTTPFields(["X-Ak-Session-Id": token]), body: .stream(body))
            async let late = service.respond(to: put).status
            try await body.gate.waitForWaiters(1)
            try await #expect(client.perform(.delete, "/data/items/1", token: token).status == 204)
            body.gate.open()
            try await #expect(late == .notFound)
            try await #expect(client.perform(.get, "/data/items/1").status == 404)
        }
    }

    @Test(arguments: Route.allCases) func `items are stored; changes require a session`(route: Route)
        async throws
    {
        try await with(route, AkulaService()) { client in
            let first: JSONValue = ["id": 1, "name": "patch cable"]
            try await #expect(client.perform(.get, "/data/items").json == [first, ["id": 2, "name": "jack"]])
            try await #expect(client.perform(.get, "/data/items/1").json == first)
            let plug: JSONValue = ["name": "plug", "id": 99]
            try await #expect(client.perform(.post, "/data/items", json: plug).status == 401)
            try await #expect(client.perform(.put, "/data/items/1", json: plug).status == 401)
            try await #expect(client.perform(.delete, "/data/items/1").status == 401)

            let token = try await client.token()
            let created = try await client.perform(.post, "/data/items", json: plug, token: token)
            #expect(created.status == 201)
            #expect(created.json == ["id": 3, "name": "plug"])
            try await #expect(
                client.perform(.put, "/data/items/1", json: plug, token: token).json == ["id": 1, "name": "plug"])
            try await #expect(client.perform(.delete, "/data/items/2", token: token).status == 204)
            try await #expect(client.perform(.delete, "/data/items/2", token: token).status == 404)
            try await #expect(client.perform(.get, "/data/items").json.array?.count == 2)
            for rubbish in [[1], "x", 7] as [JSONValue] {
                try await #expect(client.perform(.post, "/data/items", json: rubbish, token: token).status == 400)
                try await #expect(client.perform(.put, "/data/items/1", json: rubbish, token: token).status == 400)
            }
        }
    }

    @Test(arguments: Route.allCases) func `unknown paths give 404`(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            for path in [
                "", "/", "/data", "/data/nothing", "/data/items/7", "/data/items/x", "/data/items/1/2", "/auth",
                "data/items",
            ] {
                let response = try await client.perform(.get, path)
                #expect(response.status == 404, "\(path)")
                #expect(response.json["description"] == "No such endpoint")
                #expect(response.json["transaction"]?.string?.hasPrefix("t") == true)
            }
            try await #expect(client.perform(.get, "/data/items", base: "/another").status == 404)
            try await #expect(client.perform(.get, "/data/items", base: "").status == 404)
        }
    }

    @Test(arguments: Route.allCases) func `other methods give 405`(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            let calls: [(HTTPMethod, String)] = [
                (.get, "/auth/login"), (.put, "/auth/login"), (.get, "/auth/logout"), (.post, "/data/jsonData"),
                (.delete, "/data/text"),
                (.post, "/data/slow"), (.put, "/data/items"), (.delete, "/data/items"), (.post, "/data/items/1"),
            ]
            for (method, path) in calls {
                let response = try await client.perform(method, path)
                #expect(response.status == 405, "\(method) \(path)")
                #expect(response.json["code"] == 405)
            }
        }
    }

    @Test(arguments: Route.allCases)
    func `errors have three fields, and all seven in developer mode`(route: Route) async throws {
        let three: Set = ["transaction", "code", "description"]
        try await with(route, AkulaService()) { client in
            let error = try await client.perform(.get, "/nothing").json
            #expect(error.object.map { Set($0.keys) } == three)
            try await #expect(client.perform(.get, "/nothing").json["transaction"] != error["transaction"])
        }
        try await with(route, AkulaService(developerMode: true)) { client in
            let error = try await client.perform(.get, "/nothing").json
            #expect(error.object.map { Set($0.keys) } == three.union(["information", "cause", "msg", "stacktrace"]))
            #expect(error.object?.values.contains(.null) == false)
        }
    }

    @Test(arguments: Route.allCases) func `jsonData echoes the request without secrets`(route: Route)
        async throws
    {
        try await with(route, AkulaService()) { client in
            let response = try await client.perform(
                .get, "/data/jsonData?region=east%20%2B&k=%D0%BA", token: try await client.token()
            ).json
            #expect(response["query"] == ["region": "east +", "k": "к"])
            #expect(response["headers"]?["x-ak-session-id"] == nil)
        }
    }

    @Test(arguments: Route.allCases) func `text is sent in ISO 8859-1`(route: Route) async throws {
        try await with(route, AkulaService(path: "/a")) { client in
            let response = try await client.send(try HTTPRequest(.get, client.origin + "/a/data/text"))
            #expect(response.fields[.contentType] == "text/plain; charset=iso-8859-1")
            #expect(String(data: response.body, encoding: .isoLatin1) == "Grüße aus dem Schaltschrank")
        }
    }

    @Test(arguments: ["", "/", "/a", "/a/", "/a/b c".replacing(" ", with: "%20")])
    func `the app scope can have any path`(path: String) async throws {
        try await with(.direct, AkulaService(path: path)) { client in
            let base = path.hasSuffix("/") ? String(path.dropLast()) : path
            try await #expect(client.perform(.get, "/data/items", base: base).status == 200)
        }
    }

    @Test func `a slow request ends only by cancellation`() async throws {
        let service = AkulaService()
        let request = try HTTPRequest(.get, "http://akula.test/akula/myServerApp/data/slow")
        let task = Task { try await service.respond(to: request) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
