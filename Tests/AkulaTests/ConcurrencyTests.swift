import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct ConcurrencyTests {
    @Test(arguments: Route.allCases)
    func `more blocking calls inside tasks than the cooperative pool has threads`(route: Route)
        async throws
    {
        try await Fixture.run(route) { fixture in
            // More calls than threads in the cooperative pool, so blocked ones must not prevent others from running.
            let statuses = try await withThrowingTaskGroup { group in
                for index in 0..<100 {
                    group.addTask { (index, try blocking { try fixture.agent.getSync("/\(index)").text }) }
                }
                return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(statuses == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, "\($0)") }))
        } respond: {
            $0.response(text: $0.url.lastPathComponent)
        }
    }

    @Test @MainActor func `a blocking call on the main thread`() async throws {
        try await Fixture.run { fixture in
            let response = try blocking { try fixture.agent.getSync("/x") }
            #expect(response.text == "x")
        } respond: {
            $0.response(text: $0.url.lastPathComponent)
        }
    }

    @Test(arguments: Route.allCases) func `many threads make calls with one agent`(route: Route)
        async throws
    {
        try await Fixture.run(route) { fixture in
            let agent = fixture.agent
            DispatchQueue.concurrentPerform(iterations: 64) { index in
                let data = AKHTTPRequestData()
                data.addQueryParameter("own", value: "\(index)")
                data.bodyData = AKTextHTTPBody(string: "\(index)")
                agent.requestData.addHeader("X-Thread-\(index)", value: "\(index)")
                let response = try? agent.postSync("/\(index)", requestData: data)
                #expect(response?.text == "\(index) own=\(index) \(index)")
                agent.requestData.removeHeader("X-Thread-\(index)")
            }
            #expect(fixture.requests.count == 64)
        } respond: { request in
            let body = String(decoding: try await request.body.collect(), as: UTF8.self)
            return request.response(text: "\(request.url.lastPathComponent) \(request.url.query() ?? "") \(body)")
        }
    }

    @Test func `all members of an agent and a scope are thread-safe`() async throws {
        let service = AkulaService(path: Fixture.path)
        try await Fixture.run(.memory, service: service) { fixture in
            let (agent, scope, base) = (fixture.agent, fixture.scope, fixture.base)
            DispatchQueue.concurrentPerform(iterations: 200) { index in
                switch index % 8 {
                case 0: _ = try? agent.loginSync(principal: ["user": "ann"], secret: ["password": "open sesame"])
                case 1: try? agent.logoutSync()
                case 2: agent.requestData = AKHTTPRequestData()
                case 3: agent.requestData.bodyData = AKTextHTTPBody(string: "\(index)")
                case 4: scope.deviceID = "\(index)"
                case 5: try? scope.initialize(base)
                case 6: agent.delivery = .inline
                default: _ = try? agent.getSync("/data/jsonData")
                }
            }
            try await agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            let response = try blocking { try agent.getSync("/data/jsonData") }
            try #expect(response.json()?["user"] == "ann")
        }
    }

    @Test func `many concurrent delegate calls complete once each`() async throws {
        try await Fixture.run { fixture in
            let logs = (0..<100).map { _ in EventLog() }
            let calls = logs.enumerated().map { fixture.agent.get("/\($0)", delegate: Handlers.text($1)) }
            for call in calls[50...] { call.cancel() }
            for call in calls { await call.wait() }
            for (index, log) in logs.enumerated() {
                #expect(log.events.count == 2)
                #expect(log.events.last == "done")
                if index < 50 { #expect(log.events.first == "success 200 \(index)") }
            }
        } respond: {
            $0.response(text: $0.url.lastPathComponent)
        }
    }
}
