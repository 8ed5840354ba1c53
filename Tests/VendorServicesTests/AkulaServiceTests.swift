import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite("AkulaService", .needsSlot) struct AkulaServiceTests {
    enum Route: CaseIterable {
        case direct
        case socket
    }

    /// Asks one service, itself or over a socket.
    struct Client {
        let origin: String
        let send: (HTTPRequest) async throws -> HTTPResponse

        func ask(
            _ method: HTTPMethod, _ path: String, json: JSONValue? = nil, token: String? = nil,
            base: String = "/akula/myServerApp"
        ) async throws -> (status: Int, json: JSONValue) {
            var fields = HTTPFields()
            if let token { try fields.set("X-Ak-Session-Id", to: token) }
            let body = json.map { HTTPBody.text($0.description) } ?? .empty
            let response = try await send(try HTTPRequest(method, origin + base + path, fields: fields, body: body))
            let answer = response.body.isEmpty ? .null : (try? JSONValue(parsing: response.body)) ?? .null
            return (response.status.code, answer)
        }

        func logIn(_ user: String = "ann", _ password: String = "open sesame", token: String? = nil) async throws -> (
            status: Int, json: JSONValue
        ) {
            let credentials: JSONValue = [
                "principal": ["user": .string(user)], "secret": ["password": .string(password)],
            ]
            return try await ask(.post, "/auth/login", json: credentials, token: token)
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

    @Test("logs in and out", arguments: Route.allCases) func login(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            let answer = try await client.logIn()
            #expect(answer.status == 200)
            #expect(answer.json["timeout"] == 1_800_000)
            #expect(answer.json["user"] == ["name": "ann"])
            let token = try #require(answer.json["token"]?.string)
            #expect(UUID(uuidString: token) != nil)
            try await #expect(client.token() != token)

            try await #expect(client.ask(.get, "/data/jsonData", token: token).json["user"] == "ann")
            try await #expect(client.ask(.post, "/auth/logout", token: token).status == 204)
            try await #expect(client.ask(.get, "/data/jsonData", token: token).status == 401)
            try await #expect(client.ask(.get, "/data/jsonData").json["user"] == .null)
            try await #expect(client.ask(.post, "/auth/logout").status == 204)
        }
    }

    @Test("refuses wrong credentials and rubbish", arguments: Route.allCases) func wrongCredentials(route: Route)
        async throws
    {
        try await with(route, AkulaService(users: ["bob": "s"])) { client in
            try await #expect(client.logIn("bob", "s").status == 200)
            for (user, password) in [("bob", "S"), ("bob", ""), ("ann", "open sesame"), ("", "")] {
                let answer = try await client.logIn(user, password)
                #expect(answer.status == 401)
                #expect(answer.json["description"] == "Bad credentials")
            }
            for json in [[:], [], "x", ["principal": "bob", "secret": "s"]] as [JSONValue] {
                try await #expect(client.ask(.post, "/auth/login", json: json).status == 401)
            }
            try await #expect(client.ask(.post, "/auth/login").status == 400)
        }
    }

    @Test("lets in who still carries an old session", arguments: Route.allCases) func staleSession(route: Route)
        async throws
    {
        try await with(route, AkulaService()) { client in
            try await #expect(client.logIn(token: "stale").status == 200)
            try await #expect(client.ask(.get, "/data/jsonData", token: "stale").status == 401)
        }
    }

    @Test("ends a session that nobody uses", arguments: Route.allCases) func slidingTimeout(route: Route) async throws {
        let clock = ManualClock()
        try await with(route, AkulaService(sessionTimeout: .milliseconds(1500), clock: clock)) { client in
            let answer = try await client.logIn()
            #expect(answer.json["timeout"] == 1500)
            let token = try #require(answer.json["token"]?.string)
            for _ in 0..<3 {
                await clock.advance(by: .milliseconds(1499))
                try await #expect(client.ask(.get, "/data/items", token: token).status == 200)
            }
            await clock.advance(by: .milliseconds(1500))
            let refused = try await client.ask(.get, "/data/items", token: token)
            #expect(refused.status == 401)
            #expect(refused.json["code"] == 401)
        }
    }

    @Test("takes timeouts of any length", arguments: [Duration(attoseconds: .max), .zero, .seconds(-1)])
    func anyTimeout(timeout: Duration) async throws {
        let clock = ManualClock()
        await clock.advance(by: .seconds(10))
        try await with(.direct, AkulaService(sessionTimeout: timeout, clock: clock)) { client in
            let token = try await client.token()
            try await #expect(client.ask(.get, "/data/items", token: token).status == (timeout > .zero ? 200 : 401))
        }
    }

    @Test("keeps items; who changes them logs in first", arguments: Route.allCases) func items(route: Route)
        async throws
    {
        try await with(route, AkulaService()) { client in
            let first: JSONValue = ["id": 1, "name": "patch cable"]
            try await #expect(client.ask(.get, "/data/items").json == [first, ["id": 2, "name": "jack"]])
            try await #expect(client.ask(.get, "/data/items/1").json == first)
            let plug: JSONValue = ["name": "plug", "id": 99]
            try await #expect(client.ask(.post, "/data/items", json: plug).status == 401)
            try await #expect(client.ask(.put, "/data/items/1", json: plug).status == 401)
            try await #expect(client.ask(.delete, "/data/items/1").status == 401)

            let token = try await client.token()
            let created = try await client.ask(.post, "/data/items", json: plug, token: token)
            #expect(created.status == 201)
            #expect(created.json == ["id": 3, "name": "plug"])
            try await #expect(
                client.ask(.put, "/data/items/1", json: plug, token: token).json == ["id": 1, "name": "plug"])
            try await #expect(client.ask(.delete, "/data/items/2", token: token).status == 204)
            try await #expect(client.ask(.delete, "/data/items/2", token: token).status == 404)
            try await #expect(client.ask(.get, "/data/items").json.array?.count == 2)
            for rubbish in [[1], "x", 7] as [JSONValue] {
                try await #expect(client.ask(.post, "/data/items", json: rubbish, token: token).status == 400)
                try await #expect(client.ask(.put, "/data/items/1", json: rubbish, token: token).status == 400)
            }
        }
    }

    @Test("answers 404 for what is not there", arguments: Route.allCases) func notFound(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            for path in [
                "", "/", "/data", "/data/nothing", "/data/items/7", "/data/items/x", "/data/items/1/2", "/auth",
                "data/items",
            ] {
                let answer = try await client.ask(.get, path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.json["description"] == "No such endpoint")
                #expect(answer.json["transaction"]?.string?.hasPrefix("t") == true)
            }
            try await #expect(client.ask(.get, "/data/items", base: "/another").status == 404)
            try await #expect(client.ask(.get, "/data/items", base: "").status == 404)
        }
    }

    @Test("answers 405 for another method", arguments: Route.allCases) func wrongMethod(route: Route) async throws {
        try await with(route, AkulaService()) { client in
            let calls: [(HTTPMethod, String)] = [
                (.get, "/auth/login"), (.put, "/auth/login"), (.get, "/auth/logout"), (.post, "/data/jsonData"),
                (.delete, "/data/text"),
                (.post, "/data/slow"), (.put, "/data/items"), (.delete, "/data/items"), (.post, "/data/items/1"),
            ]
            for (method, path) in calls {
                let answer = try await client.ask(method, path)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.json["code"] == 405)
            }
        }
    }

    @Test("errors have three fields, and all seven in developer mode", arguments: Route.allCases)
    func developerMode(route: Route) async throws {
        let three: Set = ["transaction", "code", "description"]
        try await with(route, AkulaService()) { client in
            let error = try await client.ask(.get, "/nothing").json
            #expect(error.object.map { Set($0.keys) } == three)
            try await #expect(client.ask(.get, "/nothing").json["transaction"] != error["transaction"])
        }
        try await with(route, AkulaService(developerMode: true)) { client in
            let error = try await client.ask(.get, "/nothing").json
            #expect(error.object.map { Set($0.keys) } == three.union(["information", "cause", "msg", "stacktrace"]))
            #expect(error.object?.values.contains(.null) == false)
        }
    }

    @Test("tells what it was asked, but no secret", arguments: Route.allCases) func jsonData(route: Route) async throws
    {
        try await with(route, AkulaService()) { client in
            let answer = try await client.ask(
                .get, "/data/jsonData?region=east%20%2B&k=%D0%BA", token: try await client.token()
            ).json
            #expect(answer["query"] == ["region": "east +", "k": "к"])
            #expect(answer["headers"]?["x-ak-session-id"] == nil)
        }
    }

    @Test("sends a text in ISO 8859-1", arguments: Route.allCases) func text(route: Route) async throws {
        try await with(route, AkulaService(path: "/a")) { client in
            let response = try await client.send(try HTTPRequest(.get, client.origin + "/a/data/text"))
            #expect(response.fields[.contentType] == "text/plain; charset=iso-8859-1")
            #expect(String(data: response.body, encoding: .isoLatin1) == "Grüße aus dem Schaltschrank")
        }
    }

    @Test("lives at any path", arguments: ["", "/", "/a", "/a/", "/a/b c".replacing(" ", with: "%20")])
    func path(path: String) async throws {
        try await with(.direct, AkulaService(path: path)) { client in
            let base = path.hasSuffix("/") ? String(path.dropLast()) : path
            try await #expect(client.ask(.get, "/data/items", base: base).status == 200)
        }
    }

    @Test("never answers a slow call, until it is cancelled") func slow() async throws {
        let service = AkulaService()
        let request = try HTTPRequest(.get, "http://akula.test/akula/myServerApp/data/slow")
        let task = Task { try await service.respond(to: request) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
