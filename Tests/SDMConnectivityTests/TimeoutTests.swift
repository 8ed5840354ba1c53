import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct TimeoutTests {
    private func session(_ clock: ManualClock) -> SDMSession { .test(TestTransport.make(clock: clock)) }

    /// Waits for a timer that ends at a time.
    private func wait(for seconds: Int, on clock: ManualClock) async throws {
        try await clock.wait { $0.first?.offset == .seconds(seconds) }
    }

    @Test func `S10: a silent server times out with 2`() async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { server in
            let clock = ManualClock()
            let request = try session(clock).get(server)
            let end = Task { await request.ended() }
            try await server.requests(count: 1)
            try await wait(for: 10, on: clock)
            await clock.advance(by: .seconds(10))
            #expect(await end.value?.errorCode == 2)
        }
    }

    @Test func `S10: a small body makes the timeout 1.5 times as long`() async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { server in
            let clock = ManualClock()
            let request = try session(clock).post(server, body: "body")
            let end = Task { await request.ended() }
            try await server.requests(count: 1)
            try await wait(for: 15, on: clock)
            // The engine may report the sent body after the server has it, which starts the timeout again.
            #expect(await clock.autoAdvancing { await end.value }?.errorCode == 2)
        }
    }

    @Test func `S10: after the retries it fails, and each attempt is announced`() async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { server in
            let clock = ManualClock()
            let request = try session(clock).get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            request.numberOfTimesToRetryOnTimeout = 2
            let end = Task { await request.ended() }
            for count in 1...3 {
                try await server.requests(count: count)
                try await wait(for: 10 * count, on: clock)
                await clock.advance(by: .seconds(10))
            }
            #expect(await end.value?.errorCode == 2)
            #expect(request.retryCount == 2 && request.retryCountOnTimeout == 2)
            try await #expect(delegate.ended() == ["started", "started", "started", "failed 2"])
        }
    }

    @Test func `S10: bytes restart the timeout, so a trickling server does not time out`() async throws {
        let gates = [Gate(), Gate()]
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        let script: ServerScript = [
            .send(start + "a"), .wait(for: gates[0]), .send("b"), .wait(for: gates[1]), .send("c"),
        ]
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let clock = ManualClock()
            let request = try session(clock).get(server)
            let delegate = CollectingDelegate()
            request.delegate = delegate
            let end = Task { await request.ended() }
            for (count, gate) in zip(1..., gates) {
                try await delegate.bytes.wait { $0.count == count }
                await clock.advance(by: .seconds(9))
                gate.open()
            }
            #expect(await end.value == nil && delegate.bytes.value == Data("abc".utf8))
        }
    }

    @Test func `S10: the default is a setting of the session`() {
        let session = SDMSession.test()
        session.defaultTimeOutSeconds = 3
        #expect(session.get(nil).timeOutSeconds == 3)
    }

    @Test func `S11: a lost connection is tried again once`() async throws {
        for lostCount in [1, 2] {
            try await LoopbackServer(script: { request in
                request.number < lostCount ? [.close] : [.respond(with: ClosureService { $0.response(text: "ok") })]
            }).stopping { server in
                let request = try SDMSession.test().get(server)
                #expect(await request.ended()?.errorCode == (lostCount == 1 ? nil : 1))
                #expect(request.retryCount == 1 && server.requestCount == 2)
            }
        }
    }

    // The vendor's library sends it twice.
    @Test(arguments: [("POST", ""), ("POST", "body"), ("PUT", ""), ("PUT", "body"), ("DELETE", ""), ("MERGE", "body")])
    func `S11: a write reaches the server once, also if kept connections turn out to be closed`(
        method: String, body: String
    ) async throws {
        let service = ClosureService { $0.response(text: "ok") }
        try await LoopbackServer(script: { $0.method == "GET" ? [.respond(with: service)] : [.close] })
            .stopping { server in
                let session = SDMSession.test()
                let reads = try (0..<5).map { _ in try session.get(server) }
                for read in reads { read.startAsynchronous() }
                for read in reads { #expect(await read.ended() == nil) }
                let request = try session.get(server)
                request.requestMethod = method
                request.appendPost(Data(body.utf8))
                #expect(await request.ended()?.errorCode == 1 && request.retryCount == 0)
                #expect(server.requests.count { $0.method != "GET" } == 1)
            }
    }

    @Test(arguments: [("GET", 2), ("PUT", 1), ("POST", 1), ("MERGE", 1), ("DELETE", 1)])
    func `S11: a connection that is lost in the body of the response is tried again only with safe methods`(
        method: String, count: Int
    ) async {
        let transport = InterruptedTransport([:], "half", then: [:], "complete")
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        request.requestMethod = method
        #expect(await request.ended()?.errorCode == (count == 1 ? 1 : nil))
        #expect(transport.requests.value.count == count && request.retryCount == count - 1)
    }

    @Test func `S12: the flag for open connections follows the method and the body`() {
        let session = SDMSession.test()
        for (method, isKept) in [("GET", true), ("DELETE", true), ("POST", false), ("PUT", false)] {
            let request = session.get(nil)
            request.requestMethod = method
            #expect(request.shouldAttemptPersistentConnection == isKept)
            request.shouldAttemptPersistentConnection = true
            #expect(request.shouldAttemptPersistentConnection)
        }
        let request = session.get(nil)
        request.appendPost(Data("body".utf8))
        #expect(request.shouldAttemptPersistentConnection)
        request.buildPostBody()
        #expect(!request.shouldAttemptPersistentConnection)
    }

    @Test func `S12: the server's Keep-Alive sets the seconds`() async throws {
        let transport = ScriptedTransport([
            .response(fields: try HTTPFields(["Keep-Alive": "timeout=15, max=100"])),
            .response(fields: try HTTPFields(["Connection": "close"])),
        ])
        let session = SDMSession.test(transport)
        for (isReusable, seconds) in [(true, 15.0), (false, 60)] {
            let request = session.get(URL(string: "http://example.com/"))
            await request.ended()
            #expect(request.connectionCanBeReused == isReusable)
            #expect(request.persistentConnectionTimeoutSeconds == seconds)
        }
    }
}
