import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite("Akula: completion closures") struct ClosureTests {
    private struct Item: Codable, Equatable, Sendable {
        let id: Int
    }

    private static func text<Value>(_ result: Result<Value, AKError>) -> String {
        switch result {
        case .success: "success"
        case .failure(let error): "\(error.code) \(error.statusCode.map(String.init) ?? "-")"
        }
    }

    @Test("are called once, with what the async method returns or throws", arguments: Verb.allCases, Route.allCases)
    func outcomes(verb: Verb, route: Route) async throws {
        try await Bench.run(route) { bench in
            for (endpoint, expected) in [
                ("/200", "success"), ("/299", "success"), ("/302", "status 302"), ("/404", "status 404"),
                ("/a\nb", "invalidRequest -"),
            ] {
                let log = EventLog()
                await verb.start(bench.agent, endpoint, nil) { log.add(Self.text($0)) }.wait()
                await verb.startDecoded(bench.agent, endpoint, nil) { log.add(Self.text($0)) }.wait()
                #expect(log.events == [expected, expected], "\(endpoint)")
            }
        } answer: { request in
            request.reply(HTTPStatus(Int(request.url.lastPathComponent) ?? 200) ?? .ok)
        }
    }

    @Test("get a value that is decoded, or the error of its decoding") func decoded() async throws {
        try await Bench.run { bench in
            let log = EventLog()
            await bench.agent.get("/item", as: .json(Item.self)) { result in
                log.add((try? result.get()) == Item(id: 7) ? "item" : "\(result)")
            }.wait()
            await bench.agent.get("/item", as: .json([Item].self)) { log.add(Self.text($0)) }.wait()
            #expect(log.events == ["item", "parse 200"])
        } answer: {
            $0.reply(json: ["id": 7])
        }
    }

    @Test("a call's data is copied when the call is made") func copied() async throws {
        try await Bench.run(.memory) { bench in
            let data = AKHTTPRequestData()
            data.addQueryParameter("a", value: "1")
            let call = bench.agent.get("/x", requestData: data) { _ in }
            data.addQueryParameter("a", value: "2")
            await call.wait()
            #expect(bench.requests.map(\.target) == ["/akula/app/x?a=1"])
        } answer: {
            $0.reply()
        }
    }

    @Test("cancelling the call ends it", arguments: Route.allCases) func cancellation(route: Route) async throws {
        let gate = Gate()
        try await Bench.run(route) { bench in
            let log = EventLog()
            let call = bench.agent.get("/slow") { log.add(Self.text($0)) }
            try await gate.waitForArrivals(1)
            call.cancel()
            await call.wait()
            call.cancel()
            #expect(log.events == ["cancelled -"])
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("are kept until they are called, and not longer", arguments: Place.allCases) func kept(place: Place)
        async throws
    {
        final class Screen {}
        let gate = Gate()
        try await Bench.run { bench in
            let log = EventLog()
            weak var remembered: Screen?
            var call: AKCall?
            await place.delivering(on: bench.agent) { agent in
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
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }
}
