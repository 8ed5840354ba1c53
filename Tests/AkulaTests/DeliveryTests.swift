import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct DeliveryTests {
    @Test func `the default is the main queue`() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        try await Fixture.run { fixture in
            // An agent with default delivery.
            let agent = ServerAgent(transport: fixture.agent.transport, scope: fixture.scope)
            let isOnMain = await withCheckedContinuation { done in
                var isOnMain: [Bool?] = []
                let handler = AKRawHTTPResponseHandler()
                handler.onSuccess = { _ in isOnMain.append(DispatchQueue.getSpecific(key: key)) }
                handler.onDone = {
                    isOnMain.append(DispatchQueue.getSpecific(key: key))
                    done.resume(returning: isOnMain)
                }
                agent.get("/x", delegate: handler)
            }
            #expect(isOnMain == [true, true])
        } respond: {
            $0.response()
        }
    }

    @Test func `a queue set on the agent is used`() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "delegates")
        queue.setSpecific(key: key, value: "here")
        try await Fixture.run { fixture in
            fixture.agent.delivery = .queue(queue)
            let log = EventLog()
            let handler = AKRawHTTPResponseHandler()
            handler.onSuccess = { _ in log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
            handler.onDone = { log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
            await fixture.agent.get("/x", delegate: handler).wait()
            await queue.drain()
            #expect(log.events == ["here", "here"])
        } respond: {
            $0.response()
        }
    }

    @Test func `inline callbacks have run when the call completes`() async throws {
        try await Fixture.run { fixture in
            let log = EventLog()
            await fixture.agent.get("/x", delegate: Handlers.raw(log)).wait()
            #expect(log.events == ["success 200", "done"])
        } respond: {
            $0.response()
        }
    }

    @Test func `a change of delivery affects only later calls`() async throws {
        let gate = Gate()
        try await Fixture.run(.memory) { fixture in
            let log = EventLog()
            let call = fixture.agent.get("/x", delegate: Handlers.raw(log))
            fixture.agent.delivery = .queue(DispatchQueue(label: "another"))
            gate.open()
            await call.wait()
            #expect(log.events == ["success 200", "done"])
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test func `a callback can start another call, also a blocking one`() async throws {
        try await Fixture.run { fixture in
            let agent = fixture.agent
            let texts = await withCheckedContinuation { done in
                let handler = AKTextHTTPResponseHandler()
                handler.onSuccess = { text, _ in
                    let second = try? agent.getSync("/second").text
                    done.resume(returning: [text, second])
                }
                agent.delivery = .queue(DispatchQueue(label: "delegates"))
                agent.get("/first", delegate: handler)
            }
            #expect(texts == ["first", "second"])
        } respond: {
            $0.response(text: $0.url.lastPathComponent)
        }
    }

    // MARK: Blocked threads

    private static func agent(_ layer: WaitingLayer) throws -> AKServerAgent {
        let transport = try layer.transport(over: FakeTransport { $0.response() })
        return ServerAgent(transport: transport, scope: try AKAppScope(WaitingLayer.origin + "/akula/app"))
    }

    @Test(.needsAllSlots, arguments: WaitingLayer.allCases)
    func `a call completes while all threads of the cooperative pool are blocked`(layer: WaitingLayer) async throws {
        let agent = try Self.agent(layer)
        agent.delivery = .inline
        let status = Watched<Int?>(nil)
        let hasEnded = await BlockedPool.run { done in
            let handler = AKRawHTTPResponseHandler()
            handler.onSuccess = { response in status.update { $0 = response.statusCode } }
            handler.onDone = done
            agent.get("/x", delegate: handler)
        }
        #expect(hasEnded && status.value == 200)
    }

    // Dispatch gains one thread a second while its threads are blocked.
    @Test(arguments: WaitingLayer.allCases, [2, 20, 100])
    func `blocking calls from a global queue need no further thread of Dispatch`(
        layer: WaitingLayer, count: Int
    ) async throws {
        let agent = try Self.agent(layer)
        let ended = Watched<[Int]>([])
        for number in 0..<count {
            DispatchQueue.global().async {
                let status = try? agent.getSync("/\(number % 3)").statusCode
                ended.update { $0.append(status ?? 0) }
            }
        }
        #expect(try await ended.wait { $0.count == count }.allSatisfy { $0 == 200 })
    }

    @Test func `work that calls share runs on threads of the package`() async throws {
        let threads = Watched<[String]>([])
        let transport = AnyTransport(
            FakeTransport { request in
                threads.update { $0.append(threadName()) }
                return request.response()
            }.coalescing())
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("http://akula.test/akula/app"))
        _ = try blocking { try agent.getSync("/x") }
        #expect(threads.value == ["patchbay.calls"])
    }
}
