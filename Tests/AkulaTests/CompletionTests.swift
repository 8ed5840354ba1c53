import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

/// The kinds of delegates.
enum DelegateKind: CaseIterable, Sendable {
    case delegate
    case raw
    case text
    case json

    /// Creates a delegate that logs its callbacks.
    func make(_ log: EventLog) -> any AKHTTPResponseDelegate {
        switch self {
        case .delegate: LoggingDelegate(log)
        case .raw: Handlers.raw(log)
        case .text: Handlers.text(log)
        case .json: Handlers.json(log)
        }
    }
}

/// The kinds of delivery.
enum DeliveryKind: CaseIterable, Sendable {
    case inline
    case queue
    case main

    /// Runs `body` with an agent that uses this delivery, and waits until all callbacks were delivered.
    func delivering(
        on agent: AKServerAgent, _ body: (AKServerAgent) async throws -> Void
    ) async rethrows {
        let queue = DispatchQueue(label: "delegates")
        switch self {
        case .inline: agent.delivery = .inline
        case .queue: agent.delivery = .queue(queue)
        case .main: agent.delivery = .main
        }
        try await body(agent)
        await queue.drain()
        await DispatchQueue.main.drain()
    }
}

@Suite(.needsSlot) struct CompletionTests {
    private func expectOneOutcome(_ log: EventLog, _ start: String, _ comment: Comment) {
        #expect(log.events.count == 2, comment)
        #expect(log.events.first?.hasPrefix(start) == true, comment)
        #expect(log.events.last == "done", comment)
    }

    @Test(arguments: DelegateKind.allCases, DeliveryKind.allCases)
    func `Akula 8: after success, failure and parse failure`(kind: DelegateKind, delivery: DeliveryKind) async throws {
        try await Fixture.run { fixture in
            for (endpoint, start) in [
                ("/200", kind == .json ? "object 200" : "success 200"),
                ("/204", kind == .json ? "object" : "success"),
                ("/404", "failure status 404"), ("/302", "failure status 302"), ("/500", "failure status 500"),
            ] {
                let log = EventLog()
                let target = kind.make(log)
                await delivery.delivering(on: fixture.agent) { await $0.get(endpoint, delegate: target).wait() }
                expectOneOutcome(log, start, "\(endpoint)")
            }
            let log = EventLog()
            let target = kind.make(log)
            await delivery.delivering(on: fixture.agent) { await $0.get("/text", delegate: target).wait() }
            expectOneOutcome(log, kind == .json ? "failure parse 200" : "success 200", "not JSON")
        } respond: { request in
            guard let status = Int(request.url.lastPathComponent).flatMap({ HTTPStatus($0) }) else {
                return request.response(text: "no JSON")
            }
            return request.response(status, json: [:])
        }
    }

    @Test(arguments: DelegateKind.allCases, DeliveryKind.allCases)
    func `Akula 8: after an invalid request`(kind: DelegateKind, delivery: DeliveryKind) async throws {
        try await Fixture.run(.memory) { fixture in
            let log = EventLog()
            let target = kind.make(log)
            await delivery.delivering(on: fixture.agent) { await $0.get("/a\nb", delegate: target).wait() }
            expectOneOutcome(log, "failure invalidRequest -", "line break")
            #expect(fixture.requests.isEmpty)
        } respond: {
            $0.response()
        }
    }

    @Test
    func `Akula 8: an invalid request also calls its delegate only after the call returns`() async throws {
        let log = EventLog()
        let agent = ServerAgent(transport: unreachableTransport, scope: AKAppScope())
        agent.delivery = .queue(DispatchQueue(label: "delegates", attributes: .initiallyInactive))
        agent.get("/x", delegate: Handlers.raw(log))
        #expect(log.events.isEmpty)
        if case .queue(let queue) = agent.delivery { queue.activate() }
    }

    @Test(arguments: DelegateKind.allCases, Route.allCases)
    func `Akula 8: after cancellation, promptly`(kind: DelegateKind, route: Route) async throws {
        let gate = Gate()
        try await Fixture.run(route) { fixture in
            let log = EventLog()
            let target = kind.make(log)
            let call = fixture.agent.get("/slow", delegate: target)
            try await gate.waitForWaiters(1)
            #expect(log.events.isEmpty)
            call.cancel()
            // The gate stays closed, so only cancellation can end the call.
            await call.wait()
            call.cancel()
            expectOneOutcome(log, "failure cancelled -", "cancelled")
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test func `Akula 8: cancellation before sending and after completion`() async throws {
        try await Fixture.run(.memory) { fixture in
            let log = EventLog()
            let call = fixture.agent.get("/x", delegate: Handlers.raw(log))
            await call.wait()
            call.cancel()
            await call.wait()
            expectOneOutcome(log, "success 200", "late")

            for _ in 0..<50 {
                let log = EventLog()
                let call = fixture.agent.get("/x", delegate: Handlers.raw(log))
                call.cancel()
                await call.wait()
                #expect(log.events.count == 2)
                #expect(log.events.last == "done")
            }
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 8: cancelling a task cancels its call`(route: Route) async throws {
        let gate = Gate()
        try await Fixture.run(route) { fixture in
            let task = Task { try await fixture.agent.get("/slow") }
            try await gate.waitForWaiters(1)
            task.cancel()
            let thrown = await #expect(throws: AKError.self) { try await task.value }
            #expect(thrown?.code == .cancelled)
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test(arguments: DelegateKind.allCases, DeliveryKind.allCases)
    func `Akula 8: a delegate created in the call is retained until done, then released`(
        kind: DelegateKind, delivery: DeliveryKind
    ) async throws {
        let gate = Gate()
        try await Fixture.run { fixture in
            let log = EventLog()
            weak var remembered: (any AKHTTPResponseDelegate)?
            var call: AKCall?
            await delivery.delivering(on: fixture.agent) { agent in
                do {
                    let delegate = kind.make(log)
                    remembered = delegate
                    call = agent.get("/x", delegate: delegate)
                }
                #expect(remembered != nil)
                gate.open()
                await call?.wait()
            }
            expectOneOutcome(log, kind == .json ? "object 200" : "success 200", "kept")
            // Released although the call is still retained.
            #expect(remembered == nil)
            call?.cancel()
        } respond: { request in
            try await gate.wait()
            return request.response(json: [:])
        }
    }

    @Test
    func `Akula 8: after cancellation the delegate is released on its delivery queue`() async throws {
        final class Screen: AKHTTPResponseDelegate {
            let log: EventLog
            init(_ log: EventLog) { self.log = log }
            func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { log.add("success") }
            func responseDidFail(_ error: AKError, response: AKHTTPResponse?) { log.add("\(error.code)") }
            deinit { log.add(DispatchQueue.getSpecific(key: Self.key) ?? "elsewhere") }
            static let key = DispatchSpecificKey<String>()
        }
        let gate = Gate()
        try await Fixture.run(.memory) { fixture in
            let queue = DispatchQueue(label: "delegates")
            queue.setSpecific(key: Screen.key, value: "released on the queue")
            fixture.agent.delivery = .queue(queue)
            let log = EventLog()
            let call = fixture.agent.get("/slow", delegate: Screen(log))
            try await gate.waitForWaiters(1)
            call.cancel()
            await call.wait()
            await queue.drain()
            #expect(log.events == ["cancelled", "released on the queue"])
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test func `Akula 8: one handler can serve several concurrent calls`() async throws {
        try await Fixture.run { fixture in
            let queue = DispatchQueue(label: "delegates")
            fixture.agent.delivery = .queue(queue)
            let log = EventLog()
            let handler = Handlers.text(log)
            let calls = (0..<20).map { fixture.agent.get("/\($0)", delegate: handler) }
            for call in calls { await call.wait() }
            await queue.drain()
            // Each result is followed by its own done, with nothing between.
            #expect(log.events.count == 40)
            for (index, event) in log.events.enumerated() {
                #expect((event == "done") == !index.isMultiple(of: 2))
            }
            #expect(Set(log.events).count == 21)
        } respond: {
            $0.response(text: $0.url.lastPathComponent)
        }
    }
}
