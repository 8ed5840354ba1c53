import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

/// Whoever may be told how a call went.
enum Listener: CaseIterable, Sendable {
    case delegate
    case raw
    case text
    case json

    /// The listener, which the test must keep: agents know delegates of the program's own weakly.
    func make(_ log: EventLog) -> any AKHTTPResponseDelegate {
        switch self {
        case .delegate: LoggingDelegate(log)
        case .raw: Handlers.raw(log)
        case .text: Handlers.text(log)
        case .json: Handlers.json(log)
        }
    }
}

/// Where it is told.
enum Place: CaseIterable, Sendable {
    case inline
    case queue
    case main

    /// Does something with an agent that delivers here, and returns when everything has been delivered.
    func delivering(
        on agent: ServerAgent<RoutedTransport>, _ body: (ServerAgent<RoutedTransport>) async throws -> Void
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

@Suite("Akula 8: done comes last, once", .needsSlot) struct CompletionTests {
    private func expectOneOutcome(_ log: EventLog, _ start: String, _ comment: Comment) {
        #expect(log.events.count == 2, comment)
        #expect(log.events.first?.hasPrefix(start) == true, comment)
        #expect(log.events.last == "done", comment)
    }

    @Test("Akula 8: after success, failure and parse failure", arguments: Listener.allCases, Place.allCases)
    func outcomes(listener: Listener, place: Place) async throws {
        try await Bench.run { bench in
            for (endpoint, start) in [
                ("/200", listener == .json ? "object 200" : "success 200"),
                ("/204", listener == .json ? "object" : "success"),
                ("/404", "failure status 404"), ("/302", "failure status 302"), ("/500", "failure status 500"),
            ] {
                let log = EventLog()
                let target = listener.make(log)
                await place.delivering(on: bench.agent) { await $0.get(endpoint, delegate: target).wait() }
                withExtendedLifetime(target) { expectOneOutcome(log, start, "\(endpoint)") }
            }
            let log = EventLog()
            let target = listener.make(log)
            await place.delivering(on: bench.agent) { await $0.get("/text", delegate: target).wait() }
            withExtendedLifetime(target) {
                expectOneOutcome(log, listener == .json ? "failure parse 200" : "success 200", "not JSON")
            }
        } answer: { request in
            guard let status = Int(request.url.lastPathComponent).flatMap({ HTTPStatus($0) }) else {
                return request.reply(text: "no JSON")
            }
            return request.reply(status, json: [:])
        }
    }

    @Test("Akula 8: after a call that cannot be sent", arguments: Listener.allCases, Place.allCases)
    func invalidRequest(listener: Listener, place: Place) async throws {
        try await Bench.run(.memory) { bench in
            let log = EventLog()
            let target = listener.make(log)
            await place.delivering(on: bench.agent) { await $0.get("/a b", delegate: target).wait() }
            withExtendedLifetime(target) { expectOneOutcome(log, "failure invalidRequest -", "blank") }
            #expect(bench.requests.isEmpty)
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 8: a call that cannot be sent is no different: nothing is called before it returns")
    func neverWithinTheCall() async throws {
        let log = EventLog()
        let agent = ServerAgent(transport: unreachable, scope: AKAppScope())
        agent.delivery = .queue(DispatchQueue(label: "delegates", attributes: .initiallyInactive))
        agent.get("/x", delegate: Handlers.raw(log))
        #expect(log.events.isEmpty)
        if case .queue(let queue) = agent.delivery { queue.activate() }
    }

    @Test("Akula 8: after cancellation, promptly", arguments: Listener.allCases, Route.allCases)
    func cancellation(listener: Listener, route: Route) async throws {
        let gate = Gate()
        try await Bench.run(route) { bench in
            let log = EventLog()
            let target = listener.make(log)
            let call = bench.agent.get("/slow", delegate: target)
            try await gate.waitForArrivals(1)
            #expect(log.events.isEmpty)
            call.cancel()
            // The gate stays shut: only the cancellation can end the call.
            await call.wait()
            call.cancel()
            withExtendedLifetime(target) { expectOneOutcome(log, "failure cancelled -", "cancelled") }
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("Akula 8: cancellation before anything was sent, and after the end") func earlyAndLate() async throws {
        try await Bench.run(.memory) { bench in
            let log = EventLog()
            let call = bench.agent.get("/x", delegate: Handlers.raw(log))
            await call.wait()
            call.cancel()
            await call.wait()
            expectOneOutcome(log, "success 200", "late")

            for _ in 0..<50 {
                let log = EventLog()
                let call = bench.agent.get("/x", delegate: Handlers.raw(log))
                call.cancel()
                await call.wait()
                #expect(log.events.count == 2)
                #expect(log.events.last == "done")
            }
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 8: a cancelled task cancels what it awaits", arguments: Route.allCases)
    func cancelledTask(route: Route) async throws {
        let gate = Gate()
        try await Bench.run(route) { bench in
            let task = Task { try await bench.agent.get("/slow") }
            try await gate.waitForArrivals(1)
            task.cancel()
            let thrown = await #expect(throws: AKError.self) { try await task.value }
            #expect(thrown?.code == .cancelled)
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("Akula 8: a delegate that is gone hears nothing, and the call ends all the same", arguments: Place.allCases)
    func destroyedDelegate(place: Place) async throws {
        let gate = Gate()
        try await Bench.run { bench in
            let log = EventLog()
            weak var remembered: LoggingDelegate?
            await place.delivering(on: bench.agent) { agent in
                let call: AKCall
                do {
                    let delegate = LoggingDelegate(log)
                    remembered = delegate
                    call = agent.get("/x", delegate: delegate)
                }
                #expect(remembered == nil)
                gate.open()
                await call.wait()
            }
            #expect(log.events.isEmpty)
            #expect(bench.requests.count == 1)
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("Akula 8: a handler made in the call is kept until it is done, and not longer", arguments: Place.allCases)
    func keptHandler(place: Place) async throws {
        let gate = Gate()
        try await Bench.run { bench in
            let log = EventLog()
            weak var remembered: AKTextHTTPResponseHandler?
            await place.delivering(on: bench.agent) { agent in
                let call: AKCall
                do {
                    let handler = Handlers.text(log)
                    remembered = handler
                    call = agent.get("/x", delegate: handler)
                }
                #expect(remembered != nil)
                gate.open()
                await call.wait()
            }
            #expect(log.events == ["success 200 kept", "done"])
            await #expect(isReleased { remembered })
        } answer: { request in
            try await gate.wait()
            return request.reply(text: "kept")
        }
    }

    /// What a call holds goes when its task ends, which may be a moment after its last callback.
    private func isReleased(_ object: () -> AnyObject?) async -> Bool {
        for _ in 0..<10_000 {
            if object() == nil { return true }
            await Task.yield()
        }
        return false
    }

    @Test("Akula 8: one handler may serve several calls at once") func sharedHandler() async throws {
        try await Bench.run { bench in
            let queue = DispatchQueue(label: "delegates")
            bench.agent.delivery = .queue(queue)
            let log = EventLog()
            let handler = Handlers.text(log)
            let calls = (0..<20).map { bench.agent.get("/\($0)", delegate: handler) }
            for call in calls { await call.wait() }
            await queue.drain()
            // Each outcome is followed by its own done, with nothing between.
            #expect(log.events.count == 40)
            for (index, event) in log.events.enumerated() {
                #expect((event == "done") == !index.isMultiple(of: 2))
            }
            #expect(Set(log.events).count == 21)
        } answer: {
            $0.reply(text: $0.url.lastPathComponent)
        }
    }
}
