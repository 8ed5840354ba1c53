import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite("Akula: secrets stay secret", .needsSlot) struct SecretsTests {
    /// Everything that a log could hold of a value.
    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    private func texts(_ error: AKError) -> [String] {
        let bridged = error as NSError
        return texts(error as Any) + texts(bridged as Any) + [bridged.localizedDescription, "\(bridged.userInfo)"]
            + (error.underlying.map { texts($0 as Any) + texts($0 as NSError) } ?? [])
    }

    private func expectNone(of secrets: [String], in texts: [String], _ location: SourceLocation = #_sourceLocation) {
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret), "\(text)", sourceLocation: location) }
        }
    }

    @Test("a session shows no token, nor do scope and agent") func session() async throws {
        let service = AkulaService(path: Bench.path)
        try await Bench.run(.memory, service: service) { bench in
            let session = try await bench.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            bench.agent.requestData.addHeader("Authorization", value: "Basic hush-hush")
            bench.agent.requestData.addQueryParameter("token", value: "hush-hush")
            bench.agent.requestData.bodyData = AKTextHTTPBody(string: "hush-hush")
            let secrets = [session.token, "open sesame", "hush-hush"]
            for value in [session, bench.scope, bench.agent, bench.agent.requestData] as [Any] {
                expectNone(of: secrets, in: texts(value))
            }
        }
    }

    @Test("bodies do not show what is in them") func bodies() {
        let bodies: [any AKHTTPBody] = [
            AKTextHTTPBody(string: "hush"), AKDataHTTPBody(data: Data("hush".utf8)),
            AKJSONHTTPBody(object: ["a": "hush"]),
            AKJSONHTTPBody(object: ["hush": Date()]), AKJSONHTTPBody(encoding: ["hush"]),
        ]
        let asNumbers = "104"
        for body in bodies { expectNone(of: ["hush", asNumbers], in: texts(body)) }
    }

    @Test("an error of a call shows no credentials, no secret parameters and no body", arguments: Route.allCases)
    func errors(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.scope.begin(AKSession(token: "hush-token"))
            let data = AKHTTPRequestData()
            data.addHeader("Authorization", value: "hush-header")
            data.addQueryParameter("password", value: "hush-query")
            data.bodyData = AKTextHTTPBody(string: "hush-body")
            for endpoint in ["/404", "/302", "/401"] {
                bench.scope.begin(AKSession(token: "hush-token"))
                let thrown = await #expect(throws: AKError.self) {
                    try await bench.agent.post(endpoint, requestData: data)
                }
                expectNone(of: ["hush"], in: texts(try #require(thrown)))
            }
            let parse = await #expect(throws: AKError.self) {
                _ = try await bench.agent.post("/200", requestData: data).json()
            }
            expectNone(of: ["hush"], in: texts(try #require(parse)))
            let response = try await bench.agent.post("/200", requestData: data)
            expectNone(of: ["hush"], in: texts(response as Any))
        } answer: { request in
            let status = Int(request.url.lastPathComponent).flatMap { HTTPStatus($0) } ?? .ok
            let fields = try HTTPFields(["Set-Cookie": "id=hush-cookie", "X-Ak-Session-Id": "hush-answer"])
            return request.reply(status, fields: fields, body: Data("hush-answer".utf8))
        }
    }

    @Test("an error of the network shows none either") func network() async throws {
        let port = try RefusedPort()
        let scope = try AKAppScope(port.url.absoluteString)
        scope.begin(AKSession(token: "hush-token"))
        let agent = ServerAgent(transport: URLSessionTransport(clock: ManualClock()), scope: scope)
        let data = AKHTTPRequestData()
        data.addQueryParameter("api_key", value: "hush-query")
        data.bodyData = AKTextHTTPBody(string: "hush-body")
        let thrown = await #expect(throws: AKError.self) { try await agent.post("/x", requestData: data) }
        #expect(thrown?.code == .transport)
        expectNone(of: ["hush"], in: texts(try #require(thrown)))
    }

    @Test("a refused login shows neither principal nor secret", arguments: Route.allCases) func login(route: Route)
        async throws
    {
        try await Bench.run(route, service: AkulaService(path: Bench.path)) { bench in
            let thrown = await #expect(throws: AKError.self) {
                try await bench.agent.login(principal: ["user": "hush-ann"], secret: ["password": "hush-hush"])
            }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        }
    }

    @Test("an answer to a login without a token shows nothing of it") func loginAnswer() async throws {
        try await Bench.run(.memory) { bench in
            let thrown = await #expect(throws: AKError.self) {
                try await bench.agent.login(principal: ["user": "ann"], secret: ["password": "x"])
            }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        } answer: {
            $0.reply(json: ["token": "hush\r\nhush"])
        }
    }

    @Test("input that is refused is not quoted where it may be secret") func refusedInput() async throws {
        let agent = ServerAgent(transport: unreachable, scope: try AKAppScope("http://akula.test"))
        let data = AKHTTPRequestData()
        data.addHeader("X-Token", value: "hush\r\n")
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x", requestData: data) }
        expectNone(of: ["hush"], in: texts(try #require(thrown)))
        let plain = HTTPAgent(transport: unreachable)
        for url in ["http://ann:hush@h/", "hush://h/?token=hush b", "http://h/?token=hush b"] {
            let thrown = await #expect(throws: AKError.self) { try await plain.get(url) }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        }
    }
}
