import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct SynchronousTests {
    private static let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse = { request in
        let status = HTTPStatus(Int(request.url.lastPathComponent) ?? 200) ?? .ok
        var fields = HTTPFields()
        if status.kind == .redirection { try fields.set(.location, to: "/akula/app/200") }
        return request.response(status, fields: fields, body: Data("body".utf8))
    }

    @Test(arguments: [200, 201, 202, 204, 299], Route.allCases)
    func `Akula 5: a status below 300 leaves the error nil`(status: Int, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            try #expect(blocking { try fixture.agent.getSync("/\(status)").statusCode } == status)
            var error: NSError? = NSError(domain: "left over", code: 1)
            let response = blocking { fixture.agent.getSync("/\(status)", error: &error) }
            #expect(response?.statusCode == status)
            #expect(error == nil)
        } respond: {
            try await Self.respond($0)
        }
    }

    @Test(
        arguments: [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 409, 418, 499, 500, 502, 503, 599],
        Route.allCases)
    func `Akula 5: any other status sets the error, also a redirect that the transport does not follow`(
        status: Int, route: Route
    ) async throws {
        try await Fixture.run(route) { fixture in
            let thrown = #expect(throws: AKError.self) { try fixture.agent.getSync("/\(status)") }
            #expect(thrown?.code == .status)
            #expect(thrown?.statusCode == status)

            var error: NSError?
            let response = blocking { fixture.agent.postSync("/\(status)", error: &error) }
            #expect(response?.statusCode == status)
            if status != 304 { #expect(response?.text == "body") }
            #expect(error?.domain == AKError.errorDomain)
            #expect(error?.code == status)
            #expect(error?.localizedDescription.contains("\(status)") == true)
            // One request per call: no redirect was followed.
            #expect(fixture.requests.count == 2)
        } respond: {
            try await Self.respond($0)
        }
    }

    @Test func `Akula 5: a refused connection sets the error, without a response`() async throws {
        let port = try RefusedPort()
        let scope = try AKAppScope(port.url.absoluteString)
        let agent = ServerAgent(transport: TestTransport.withoutDeadlines, scope: scope)

        let thrown = #expect(throws: AKError.self) { try agent.getSync("/x") }
        #expect(thrown?.code == .transport)
        #expect((thrown?.underlying as? TransportError)?.code == .connectionRefused)
        #expect(thrown?.statusCode == nil)

        var error: NSError?
        let response = blocking { agent.getSync("/x", error: &error) }
        #expect(response == nil)
        #expect(error?.domain == AKError.errorDomain)
        #expect(error?.code == -3)
        #expect(error?.userInfo[NSUnderlyingErrorKey] != nil)
    }

    @Test
    func `Akula 5: a lost connection sets the error, at any point`() async throws {
        let scripts: [ServerScript] = [
            [.reset], [.close], [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close],
            [.send("no HTTP at all\r\n\r\n"), .close],
        ]
        for script in scripts {
            try await LoopbackServer { _ in script }.stopping { server in
                let scope = try AKAppScope("http://127.0.0.1:\(server.port)")
                let agent = ServerAgent(transport: TestTransport.make(clock: ManualClock()), scope: scope)
                var error: NSError?
                let response = blocking { agent.postSync("/x", error: &error) }
                #expect(response == nil)
                #expect(error?.code == -3)
                let thrown = #expect(throws: AKError.self) { try agent.postSync("/x") }
                #expect(thrown?.code == .transport)
            }
        }
    }

    @Test func `Akula 5: a successful call resets the error to nil`() async throws {
        try await Fixture.run(.memory) { fixture in
            var error: NSError?
            _ = blocking { fixture.agent.getSync("/500", error: &error) }
            #expect(error?.code == 500)
            _ = blocking { fixture.agent.getSync("/200", error: &error) }
            #expect(error == nil)
        } respond: {
            try await Self.respond($0)
        }
    }
}
