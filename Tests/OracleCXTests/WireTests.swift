import Delegation
import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import Synchronization
import SystemLibraries
import TestSupport
import Testing
import Transport
import VendorServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct WireTests {
    private func run(_ body: (ORAHTTPManager, String, LoopbackServer, OracleService) async throws -> Void) async throws
    {
        let service = OracleService()
        try await LoopbackServer(service: service).stopping { server in
            let manager = ORAHTTPManager(
                transport: TestTransport.withoutDeadlines,
                backoff: .exponential(base: .zero, cap: .zero),
                settings: .empty, lifecycle: ORAManualLifecycle())
            manager.delivery = .inline
            try await body(manager, "http://127.0.0.1:\(server.port)", server, service)
        }
    }

    @Test func `Oracle 8: the server decodes a gzip payload`() async throws {
        try await run { manager, origin, server, service in
            let request = ORARequest(url: origin + "/v3/acc")
            request.payload = ["events": [["timestamp": "1", "name": "Grüße"]]]
            request.compression = true
            let response = await manager.response(to: request)
            #expect(response.httpResponse?.status == .ok)
            #expect(service.events(of: "acc") == [["timestamp": "1", "name": "Grüße"]])
            let received = try #require(server.requests.first)
            #expect(received.requestLine == "POST /v3/acc HTTP/1.1")
            #expect(received.fields[.contentEncoding] == "gzip" && received.fields[.contentType] == "application/json")
            #expect(received.fields[.contentLength] == "\(received.body.count)")
            #expect(try Inflater.inflate(received.body).first == UInt8(ascii: "{"))
        }
    }

    @Test func `Oracle 4: a body is sent unchanged, and a GET has none`() async throws {
        try await run { manager, origin, server, _ in
            let post = ORARequest(url: origin + "/echo")
            post.requestBody = Data([0, 255, 13, 10])
            post.payload = ["a": 1]
            post.headers = ["Content-Type": "application/x-own"]
            _ = await manager.response(to: post)
            let get = ORARequest(url: origin + "/echo?x=1")
            get.requestType = GET
            get.payload = ["a": "b c"]
            get.requestBody = Data("never".utf8)
            _ = await manager.response(to: get)
            #expect(server.requests.map(\.body) == [Data([0, 255, 13, 10]), Data()])
            #expect(server.requests.map(\.target) == ["/echo", "/echo?x=1&a=b%20c"])
            #expect(server.requests[0].fields[.contentType] == "application/x-own")
        }
    }

    @Test func `Oracle 5: a retry succeeds when the server recovers`() async throws {
        try await run { manager, origin, server, _ in
            let response = await manager.response(to: ORARequest(url: origin + "/unstable"))
            #expect(response.httpResponse?.status == .ok && server.requestCount == 2)
        }
    }

    @Test func `Oracle 5: a lost connection is retried`() async throws {
        try await LoopbackServer(script: { request in
            request.number == 0 ? [.reset] : [.respond(with: ClosureService { $0.response(text: "back") })]
        }).stopping { server in
            let manager = ORAHTTPManager(
                transport: TestTransport.withoutDeadlines,
                backoff: .exponential(base: .zero, cap: .zero),
                settings: .empty, lifecycle: ORAManualLifecycle())
            manager.delivery = .inline
            let response = await manager.response(to: ORARequest(url: "http://127.0.0.1:\(server.port)/x"))
            #expect(response.data == Data("back".utf8) && server.requestCount == 2)
        }
    }

    @Test func `Oracle 9: 4xx and 5xx are responses`() async throws {
        try await run { manager, origin, _, _ in
            let response = await manager.response(to: ORARequest(url: origin + "/nothing"))
            #expect(response.httpResponse?.status == .notFound && response.error == nil)
            #expect(response.response != nil && response.data?.isEmpty == false)
        }
    }

    @Test func `Oracle 9: a refused connection is an error`() async throws {
        try await run { manager, _, _, _ in
            let port = try RefusedPort()
            let response = await manager.response(to: ORARequest(url: port.url.absoluteString + "/x"))
            #expect((response.error as NSError?)?.code == NSURLErrorCannotConnectToHost)
        }
    }

    @Test func `redirects are followed, without credentials for another origin`() async throws {
        try await LoopbackServer { $0.response(text: $0.fields[.authorization] ?? "none") }.stopping { target in
            let location = "http://127.0.0.1:\(target.port)/there"
            try await LoopbackServer { request in
                request.response(.temporaryRedirect, fields: try HTTPFields(["Location": location]))
            }.stopping { server in
                let manager = ORAHTTPManager(
                    transport: TestTransport.withoutDeadlines, settings: .empty, lifecycle: ORAManualLifecycle())
                manager.delivery = .inline
                let request = ORARequest(url: "http://127.0.0.1:\(server.port)/here")
                request.payload = ["a": 1]
                request.headers = ["Authorization": "hush"]
                let response = await manager.response(to: request)
                #expect(response.data == Data("none".utf8))
                #expect(response.response?.url?.absoluteString == location)
                #expect(target.requests.first?.body == Data(#"{"a":1}"#.utf8))
            }
        }
    }

    @Test(.needsAllSlots)
    func `Oracle 12: requests complete while all threads of the cooperative pool are blocked`() async throws {
        try await run { manager, origin, _, _ in
            func blockingStatus() -> Int? {
                let done = DispatchSemaphore(value: 0)
                let status = Mutex<Int?>(nil)
                manager.addRequest(ORARequest(url: origin + "/echo")) { response in
                    status.withLock { $0 = response.httpResponse?.status.code }
                    done.signal()
                }
                done.wait()
                return status.withLock(\.self)
            }
            let count = ProcessInfo.processInfo.activeProcessorCount * 4
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<count { group.addTask { blockingStatus() } }
                for await status in group { #expect(status == 200) }
            }
        }
    }
}
