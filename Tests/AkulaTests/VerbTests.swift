import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing

/// The verbs in all their forms, for parameterized tests.
enum Verb: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"

    typealias Agent = AKServerAgent

    func sendBlocking(_ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?) throws -> AKHTTPResponse {
        switch self {
        case .get: try agent.getSync(endpoint, requestData: data)
        case .post: try agent.postSync(endpoint, requestData: data)
        case .put: try agent.putSync(endpoint, requestData: data)
        case .delete: try agent.deleteSync(endpoint, requestData: data)
        }
    }

    func sendBlocking(_ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?, _ error: inout NSError?)
        -> AKHTTPResponse?
    {
        switch self {
        case .get: agent.getSync(endpoint, requestData: data, error: &error)
        case .post: agent.postSync(endpoint, requestData: data, error: &error)
        case .put: agent.putSync(endpoint, requestData: data, error: &error)
        case .delete: agent.deleteSync(endpoint, requestData: data, error: &error)
        }
    }

    func start(
        _ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?, _ delegate: (any AKHTTPResponseDelegate)?
    ) -> AKCall {
        switch self {
        case .get: agent.get(endpoint, requestData: data, delegate: delegate)
        case .post: agent.post(endpoint, requestData: data, delegate: delegate)
        case .put: agent.put(endpoint, requestData: data, delegate: delegate)
        case .delete: agent.delete(endpoint, requestData: data, delegate: delegate)
        }
    }

    func start(
        _ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?,
        completion: @escaping (Result<AKHTTPResponse, AKError>) -> Void
    ) -> AKCall {
        switch self {
        case .get: agent.get(endpoint, requestData: data, completion: completion)
        case .post: agent.post(endpoint, requestData: data, completion: completion)
        case .put: agent.put(endpoint, requestData: data, completion: completion)
        case .delete: agent.delete(endpoint, requestData: data, completion: completion)
        }
    }

    func startDecoded(
        _ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?,
        completion: @escaping (Result<String, AKError>) -> Void
    ) -> AKCall {
        switch self {
        case .get: agent.get(endpoint, requestData: data, as: .text(), completion: completion)
        case .post: agent.post(endpoint, requestData: data, as: .text(), completion: completion)
        case .put: agent.put(endpoint, requestData: data, as: .text(), completion: completion)
        case .delete: agent.delete(endpoint, requestData: data, as: .text(), completion: completion)
        }
    }

    func sendAsync(_ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?) async throws -> AKHTTPResponse {
        switch self {
        case .get: try await agent.get(endpoint, requestData: data)
        case .post: try await agent.post(endpoint, requestData: data)
        case .put: try await agent.put(endpoint, requestData: data)
        case .delete: try await agent.delete(endpoint, requestData: data)
        }
    }

    func sendDecoding(_ agent: Agent, _ endpoint: String, _ data: AKHTTPRequestData?) async throws -> String {
        switch self {
        case .get: try await agent.get(endpoint, requestData: data, as: .text())
        case .post: try await agent.post(endpoint, requestData: data, as: .text())
        case .put: try await agent.put(endpoint, requestData: data, as: .text())
        case .delete: try await agent.delete(endpoint, requestData: data, as: .text())
        }
    }
}

@Suite(.needsSlot) struct VerbTests {
    @Test(arguments: Verb.allCases, Route.allCases)
    func `Akula 4: every verb in every form, with and without data`(verb: Verb, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let agent = fixture.agent
            let data = AKHTTPRequestData()
            data.addQueryParameter("with", value: "data")
            if verb != .get { data.bodyData = AKTextHTTPBody(string: "body") }

            for (data, target, body) in [(nil, "/akula/app/x", ""), (data, "/akula/app/x?with=data", "body")] {
                let expected = "\(verb.rawValue) \(target) \(verb == .get ? "" : body)"
                try #expect(verb.sendBlocking(agent, "/x", data).text == expected)
                var error: NSError? = NSError(domain: "left over", code: 1)
                #expect(verb.sendBlocking(agent, "/x", data, &error)?.text == expected)
                #expect(error == nil)
                try await #expect(verb.sendAsync(agent, "/x", data).text == expected)
                try await #expect(verb.sendDecoding(agent, "/x", data) == expected)
                let log = EventLog()
                await verb.start(agent, "/x", data, Handlers.text(log)).wait()
                #expect(log.events == ["success 200 \(expected)", "done"])
                let results = EventLog()
                await verb.start(agent, "/x", data) { results.add((try? $0.get().text) ?? "failure") }.wait()
                await verb.startDecoded(agent, "/x", data) { results.add((try? $0.get()) ?? "failure") }.wait()
                #expect(results.events == [expected, expected])
            }
            #expect(fixture.requests.count == 14)
            #expect(fixture.requests.allSatisfy { $0.method.name == verb.rawValue })
        } respond: { request in
            let query = request.url.query().map { "?\($0)" } ?? ""
            let body = String(decoding: try await request.body.collect(), as: UTF8.self)
            return request.response(text: "\(request.method) \(request.url.path())\(query) \(body)")
        }
    }

    @Test func `Akula 4: a call needs no delegate`() async throws {
        try await Fixture.run(.memory) { fixture in
            for verb in Verb.allCases { await verb.start(fixture.agent, "/x", nil, nil).wait() }
            #expect(fixture.requests.map(\.method.name) == ["GET", "POST", "PUT", "DELETE"])
        } respond: {
            $0.response()
        }
    }
}
