import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing

@Suite(.needsSlot) struct ClosureTests {
    private struct Item: Codable, Equatable, Sendable {
        let id: Int
    }

    private static func text<Value>(_ result: Result<Value, AKError>) -> String {
        switch result {
        case .success: "success"
        case .failure(let error): "\(error.code) \(error.statusCode.map(String.init) ?? "-")"
        }
    }

    @Test(
        arguments: Verb.allCases,
        Route.allCases)
    func `closures are called once, with the result or error of the async method`(verb: Verb, route: Route) async throws
    {
        try await Fixture.run(route) { fixture in
            for (endpoint, expected) in [
                ("/200", "success"), ("/299", "success"), ("/302", "status 302"), ("/404", "status 404"),
                ("/a\nb", "invalidRequest -"),
            ] {
                let log = EventLog()
                await verb.start(fixture.agent, endpoint, nil) { log.add(Self.text($0)) }.wait()
                await verb.startDecoded(fixture.agent, endpoint, nil) { log.add(Self.text($0)) }.wait()
                #expect(log.events == [expected, expected], "\(endpoint)")
            }
        } respond: { request in
            request.response(HTTPStatus(Int(request.url.lastPathComponent) ?? 200) ?? .ok)
        }
    }

    @Test func `closures receive the decoded value or the decoding error`() async throws {
        try await Fixture.run { fixture in
            let log = EventLog()
            await fixture.agent.get("/item", as: .json(Item.self)) { result in
                log.add((try? result.get()) == Item(id: 7) ? "item" : "\(result)")
            }.wait()
            await fixture.agent.get("/item", as: .json([Item].self)) { log.add(Self.text($0)) }.wait()
            #expect(log.events == ["item", "parse 200"])
        } respond: {
            $0.response(json: ["id": 7])
        }
    }

    @Test func `a call's data is copied when the call starts`() async throws {
        try await Fixture.run(.memory) { fixture in
            let data = AKHTTPRequestData()
            data.addQueryParameter("a", value: "1")
            let call = fixture.agent.get("/x", requestData: data) { _ in }
            data.addQueryParameter("a", value: "2")
            await call.wait()
            #expect(fixture.requests.map(\.target) == ["/akula/app/x?a=1"])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases) func `cancelling the call ends it`(route: Route) async throws {
        let gate = Gate()
        try await Fixture.run(route) { fixture in
            let log = EventLog()
            let call = fixture.agent.get("/slow") { log.add(Self.text($0)) }
            try await gate.waitForWaiters(1)
            call.cancel()
            await call.wait()
            call.cancel()
            #expect(log.events == ["cancelled -"])
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test(arguments: DeliveryKind.allCases) func `closures are released after they were called`(
        delivery: DeliveryKind
    )
        async throws
    {
        final class Screen {}
        let gate = Gate()
        try await Fixture.run { fixture in
            let log = EventLog()
            weak var remembered: Screen?
            var call: AKCall?
            await delivery.delivering(on: fixture.agent) { agent in
                do {
                    let screen = Screen()
                    remembered = screen
                    call = agent.get("/x") { result in withExtendedLifetime(screen) { log.add(Self.text(result)) } }
                }
                #expect(remembered != nil)
                gate.open()
                await call?.wait()
            }
            #expect(log.events == ["success"])
            #expect(remembered == nil)
            call?.cancel()
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }
}
