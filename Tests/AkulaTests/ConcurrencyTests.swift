import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite("Akula: many at once", .needsSlot) struct ConcurrencyTests {
    @Test("any number of waiting calls from inside tasks", arguments: Route.allCases) func waitingInTasks(route: Route)
        async throws
    {
        try await Bench.run(route) { bench in
            // More than there are threads in the cooperative pool, so that waiting ones must not keep others from running.
            let statuses = try await withThrowingTaskGroup { group in
                for index in 0..<100 {
                    group.addTask { (index, try bench.agent.getSync("/\(index)").text) }
                }
                return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(statuses == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, "\($0)") }))
        } answer: {
            $0.reply(text: $0.url.lastPathComponent)
        }
    }

    @Test("a waiting call on the main thread") @MainActor func waitingOnMain() async throws {
        try await Bench.run { bench in
            try #expect(bench.agent.getSync("/x").text == "x")
        } answer: {
            $0.reply(text: $0.url.lastPathComponent)
        }
    }

    @Test("one agent, many threads, each its own call", arguments: Route.allCases) func sharedAgent(route: Route)
        async throws
    {
        try await Bench.run(route) { bench in
            let agent = bench.agent
            DispatchQueue.concurrentPerform(iterations: 64) { index in
                let data = AKHTTPRequestData()
                data.addQueryParameter("own", value: "\(index)")
                data.bodyData = AKTextHTTPBody(string: "\(index)")
                agent.requestData.addHeader("X-Thread-\(index)", value: "\(index)")
                let response = try? agent.postSync("/\(index)", requestData: data)
                #expect(response?.text == "\(index) own=\(index) \(index)")
                agent.requestData.removeHeader("X-Thread-\(index)")
            }
            #expect(bench.requests.count == 64)
        } answer: { request in
            let body = String(decoding: try await request.body.collect(), as: UTF8.self)
            return request.reply(text: "\(request.url.lastPathComponent) \(request.url.query() ?? "") \(body)")
        }
    }

    @Test("everything of an agent and a scope may be touched from everywhere") func everythingAtOnce() async throws {
        let service = AkulaService(path: Bench.path)
        try await Bench.run(.memory, service: service) { bench in
            let (agent, scope, base) = (bench.agent, bench.scope, bench.base)
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
            try #expect(agent.getSync("/data/jsonData").json()?["user"] == "ann")
        }
    }

    @Test("many calls for delegates each end once") func manyDelegates() async throws {
        try await Bench.run { bench in
            let logs = (0..<100).map { _ in EventLog() }
            let calls = logs.enumerated().map { bench.agent.get("/\($0)", delegate: Handlers.text($1)) }
            for call in calls[50...] { call.cancel() }
            for call in calls { await call.wait() }
            for (index, log) in logs.enumerated() {
                #expect(log.events.count == 2)
                #expect(log.events.last == "done")
                if index < 50 { #expect(log.events.first == "success 200 \(index)") }
            }
        } answer: {
            $0.reply(text: $0.url.lastPathComponent)
        }
    }
}
