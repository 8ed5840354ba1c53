import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct SecretsTests {
    /// All texts of a value that can reach a log.
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

    @Test func `descriptions of session, scope and agent have no token`() async throws {
        let service = AkulaService(path: Fixture.path)
        try await Fixture.run(.memory, service: service) { fixture in
            let session = try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            fixture.agent.requestData.addHeader("Authorization", value: "Basic hush-hush")
            fixture.agent.requestData.addQueryParameter("token", value: "hush-hush")
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "hush-hush")
            let secrets = [session.token, "open sesame", "hush-hush"]
            for value in [session, fixture.scope, fixture.agent, fixture.agent.requestData] as [Any] {
                expectNone(of: secrets, in: texts(value))
            }
        }
    }

    @Test func `descriptions of bodies have no content`() {
        let bodies: [any AKHTTPBody] = [
            AKTextHTTPBody(string: "hush"), AKDataHTTPBody(data: Data("hush".utf8)),
            AKJSONHTTPBody(object: ["a": "hush"]),
            AKJSONHTTPBody(object: ["hush": Date()]), AKJSONHTTPBody(encoding: ["hush"]),
        ]
        let asNumbers = "104"
        for body in bodies { expectNone(of: ["hush", asNumbers], in: texts(body)) }
    }

    @Test(arguments: Route.allCases)
    func `a status error has no credentials, secret parameters or body`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            fixture.scope.begin(AKSession(token: "hush-token"))
            let data = AKHTTPRequestData()
            data.addHeader("Authorization", value: "hush-header")
            data.addQueryParameter("password", value: "hush-query")
            data.bodyData = AKTextHTTPBody(string: "hush-body")
            for endpoint in ["/404", "/302", "/401"] {
                fixture.scope.begin(AKSession(token: "hush-token"))
                let thrown = await #expect(throws: AKError.self) {
                    try await fixture.agent.post(endpoint, requestData: data)
                }
                expectNone(of: ["hush"], in: texts(try #require(thrown)))
            }
            let parse = await #expect(throws: AKError.self) {
                _ = try await fixture.agent.post("/200", requestData: data).json()
            }
            expectNone(of: ["hush"], in: texts(try #require(parse)))
            let response = try await fixture.agent.post("/200", requestData: data)
            expectNone(of: ["hush"], in: texts(response as Any))
        } respond: { request in
            let status = Int(request.url.lastPathComponent).flatMap { HTTPStatus($0) } ?? .ok
            let fields = try HTTPFields(["Set-Cookie": "id=hush-cookie", "X-Ak-Session-Id": "hush-response"])
            let body = status == .ok ? "hush-response" : #"{"accessToken":"hush-response","a":[{"password":["hush"]}]}"#
            return request.response(status, fields: fields, body: Data(body.utf8))
        }
    }

    @Test func `a network error has no credentials, secret parameters or body`() async throws {
        let port = try RefusedPort()
        let scope = try AKAppScope(port.url.absoluteString)
        scope.begin(AKSession(token: "hush-token"))
        let agent = ServerAgent(transport: TestTransport.make(clock: ManualClock()), scope: scope)
        let data = AKHTTPRequestData()
        data.addQueryParameter("api_key", value: "hush-query")
        data.bodyData = AKTextHTTPBody(string: "hush-body")
        let thrown = await #expect(throws: AKError.self) { try await agent.post("/x", requestData: data) }
        #expect(thrown?.code == .transport)
        expectNone(of: ["hush"], in: texts(try #require(thrown)))
    }

    @Test(arguments: Route.allCases) func `the error of a refused login has neither principal nor secret`(
        route: Route
    )
        async throws
    {
        try await Fixture.run(route, service: AkulaService(path: Fixture.path)) { fixture in
            let thrown = await #expect(throws: AKError.self) {
                try await fixture.agent.login(principal: ["user": "hush-ann"], secret: ["password": "hush-hush"])
            }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        }
    }

    @Test func `the error of an invalid login response does not quote it`() async throws {
        try await Fixture.run(.memory) { fixture in
            let thrown = await #expect(throws: AKError.self) {
                try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "x"])
            }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        } respond: {
            $0.response(json: ["token": "hush\r\nhush"])
        }
    }

    @Test func `errors do not quote refused input that may be secret`() async throws {
        let agent = ServerAgent(transport: unreachableTransport, scope: try AKAppScope("http://akula.test"))
        let data = AKHTTPRequestData()
        data.addHeader("X-Token", value: "hush\r\n")
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x", requestData: data) }
        expectNone(of: ["hush"], in: texts(try #require(thrown)))
        let plain = HTTPAgent(transport: unreachableTransport)
        for url in ["http://ann:hush@h/", "ftp://h/?token=hush b", "http://h/?token=hush\nb"] {
            let thrown = await #expect(throws: AKError.self) { try await plain.get(url) }
            expectNone(of: ["hush"], in: texts(try #require(thrown)))
        }
    }
}
