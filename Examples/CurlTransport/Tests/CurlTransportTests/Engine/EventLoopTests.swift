import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import CurlTransport

@Suite(.needsSlot) struct EventLoopTests {
    // Those behind the first ones start one after the other, each in the place of one that has failed.
    @Test func `any number of requests can fail when they start`() async throws {
        let count = 20_000
        var options = CurlTransport.NetworkOptions()
        // libcurl refuses values over 8,000,000 bytes.
        options.trustAnchors = .only(.data([Data(count: 8_000_001)]))
        let library = try CurlLibrary.system.get()
        let mailbox = Mailbox(try #require(Wakeup()))
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let target = RequestTarget(request, acceptEncoding: "")
        let posted = Watched(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        let call = Call(
                            Call.makeID(), request, relay: nil, body: .none, target: target,
                            recipient: .buffered(continuation))
                        mailbox.post(.start(call))
                        posted.update { $0 += 1 }
                    }
                }
            }
            _ = try await posted.wait { $0 == count }
            mailbox.close(.draining)
            let thread = EventThread(name: "test") { [options] in
                EventLoop(mailbox, library, .init(), options, clock: EngineClock(ContinuousClock())).run()
                mailbox.end()
            }
            var errors: [TransportError?] = []
            while let result = await group.nextResult() {
                if case .failure(let error) = result { errors.append(error as? TransportError) }
            }
            await mailbox.waitForEnd()
            thread?.join()
            #expect(errors.count == count && errors.allSatisfy { $0?.code == .unsupported })
            #expect(errors.first??.message.contains("trustBlob") == true)
        }
    }

    @Test func `a transport whose last response arrives whole releases it at its end`() async throws {
        final class Content: HTTPBodyReader, Sendable {
            func read(atMost count: Int) -> Data? { nil }
        }
        let gate = Gate()
        let service = ClosureService { request in
            try await gate.wait()
            return request.response(text: "all of it")
        }
        try await LoopbackServer(service: service).stopping { server in
            let transport = try CurlTransport()
            let url = try server.url(of: "/")
            weak var released: Content?
            let reading: Task<Int, any Error>
            do {
                let content = Content()
                released = content
                reading = Task {
                    let request = try HTTPRequest(.put, url, body: .generated { content })
                    return try await transport.stream(request).body.collect().count
                }
            }
            _ = try await server.requests(count: 1)
            let end = Task { await transport.shutdown() }
            let port = try RefusedPort()
            while await transportError({ _ = try await transport.send(HTTPRequest(.get, port.url)) })?.code
                != .cancelled
            {
                await Task.yield()
            }
            gate.open()
            #expect(try await reading.value == 9)
            await end.value
            // The task that reads the request body may be in its last instruction.
            try await eventually("the request body is released") { released == nil }
        }
    }

    @Test func `a request that is cancelled while it waits for a slot is released at once`() async throws {
        final class Content: HTTPBodyReader, Sendable {
            func read(atMost count: Int) -> Data? { nil }
        }
        let gate = Gate()
        let clock = ManualClock()
        let service = ClosureService { request in
            try await gate.wait()
            return request.response()
        }
        try await LoopbackServer(service: service).stopping { server in
            defer { gate.open() }
            let transport = try CurlTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            let url = try server.url(of: "/")
            let forever = Timeouts(response: nil, idle: nil)
            let first = Task {
                try await transport.send(HTTPRequest(.get, url, options: RequestOptions(timeouts: forever)))
            }
            _ = try await server.requests(count: 1)
            weak var released: Content?
            let second: Task<TransportError.Code?, Never>
            do {
                let content = Content()
                released = content
                let timeouts = Timeouts(response: nil, idle: nil, total: .seconds(10))
                let request = try HTTPRequest(
                    .put, url, body: .generated { content }, options: RequestOptions(timeouts: timeouts))
                second = Task { await transportError { _ = try await transport.send(request) }?.code }
            }
            // Its timeout runs, so the thread has it.
            try await clock.waitForSleepers(1)
            #expect(released != nil)
            second.cancel()
            #expect(await second.value == .cancelled)
            // The thread starts this request after it has dealt with the cancelled one.
            let port = try RefusedPort()
            #expect(await transportError { _ = try await transport.send(HTTPRequest(.get, port.url)) } != nil)
            #expect(released == nil)
            gate.open()
            #expect(try await first.value.status == .ok)
        }
    }
}
