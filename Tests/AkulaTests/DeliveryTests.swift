import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Akula: where callbacks arrive", .needsSlot) struct DeliveryTests {
    @Test("on the main queue, unless the agent says otherwise") func main() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        try await Bench.run { bench in
            // An agent whose delivery nobody has touched.
            let agent = ServerAgent(transport: bench.agent.transport, scope: bench.scope)
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
        } answer: {
            $0.reply()
        }
    }

    @Test("on the agent's queue") func queue() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "delegates")
        queue.setSpecific(key: key, value: "here")
        try await Bench.run { bench in
            bench.agent.delivery = .queue(queue)
            let log = EventLog()
            let handler = AKRawHTTPResponseHandler()
            handler.onSuccess = { _ in log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
            handler.onDone = { log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
            await bench.agent.get("/x", delegate: handler).wait()
            await queue.drain()
            #expect(log.events == ["here", "here"])
        } answer: {
            $0.reply()
        }
    }

    @Test("inline: everything has been called when the call is over") func inline() async throws {
        try await Bench.run { bench in
            let log = EventLog()
            await bench.agent.get("/x", delegate: Handlers.raw(log)).wait()
            #expect(log.events == ["success 200", "done"])
        } answer: {
            $0.reply()
        }
    }

    @Test("a change of delivery is for calls that start later") func change() async throws {
        let gate = Gate()
        try await Bench.run(.memory) { bench in
            let log = EventLog()
            let call = bench.agent.get("/x", delegate: Handlers.raw(log))
            bench.agent.delivery = .queue(DispatchQueue(label: "another"))
            gate.open()
            await call.wait()
            #expect(log.events == ["success 200", "done"])
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("a callback may make the next call, a waiting one too") func nested() async throws {
        try await Bench.run { bench in
            let agent = bench.agent
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
        } answer: {
            $0.reply(text: $0.url.lastPathComponent)
        }
    }
}
