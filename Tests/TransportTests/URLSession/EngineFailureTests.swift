import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct EngineFailureTests {
    @Test(arguments: [false, true])
    func `a transfer tracks whether its body is incomplete`(hasHead: Bool) async throws {
        let request = try HTTPRequest(.get, "http://h/")
        let transfer = Transfer(request, timers: TimerQueue(AnyMonotonicClock(ManualClock())))
        let error = try await transportError {
            if hasHead {
                transfer.headReceived(HTTPResponseHead(status: .ok, url: request.url), expected: 10)
                transfer.bodyReceived(Data("1234".utf8))
            }
            transfer.failed(URLError(.networkConnectionLost), engine: .cfNetwork)
            return try await transfer.outcome()
        }
        #expect(error.code == (hasHead ? .truncated : .connectionLost))
        #expect(error.bodyPrefix == Data((hasHead ? "1234" : "").utf8))
    }

    @Test func `connection refused`() async throws {
        let port = try RefusedPort()
        let request = try HTTPRequest(.post, port.url(of: "/?token=s3cret"), body: .text("x"))
        let error = try await transportError { try await URLSessionTransport.shared.send(request) }
        #expect(error.code == .connectionRefused && error.head == nil)
        #expect(!"\(error) \(String(describing: error.underlying))".contains("s3cret"))
    }

    @Test(arguments: ["127.1", "0x7f000001", "2130706433"])
    func `a host that URLSession on Linux does not support`(host: String) async throws {
        #if !canImport(Darwin)
            let error = try await transportError {
                try await URLSessionTransport.shared.send(HTTPRequest(.get, "http://\(host):1/"))
            }
            #expect(error.code == .unsupported && error.message.contains("\(host):1"))
        #endif
    }

    @Test func `host not found`() async throws {
        let error = try await transportError {
            // Its timeouts never expire: the system's resolver may take its time.
            try await URLSessionTransport(clock: ManualClock()).send(HTTPRequest(.get, "http://nope.invalid/"))
        }
        #expect(error.code == .hostNotFound)
    }

    private static let length = "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\n"
    private static let chunks = "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let scripts: [(name: String, script: ServerScript, codes: [TransportError.Code], prefix: String?)] =
        [
            ("reset before the head", [.reset], [.connectionLost], nil),
            ("no response", [.close], [.connectionLost], nil),
            ("body too short", [.send(length + "1234"), .close], [.truncated], "1234"),
            ("no body at all", [.send(length), .close], [.truncated], ""),
            ("reset within the body", [.send(length + "1234"), .reset], [.connectionLost, .truncated], nil),
            ("chunks without an end", [.send(chunks + "4\r\n1234\r\n"), .close], [.truncated], "1234"),
            ("half a chunk", [.send(chunks + "4\r\n12"), .close], [.truncated], "12"),
            ("a chunk without a size", [.send(chunks + "nonsense\r\n"), .close], [.malformedResponse], nil),
            (
                "a length below zero", [.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"), .close],
                [.malformedResponse], nil
            ),
            (
                "a first line that begins with a blank",
                [.send("HTTP/1.1 200 OK\r\n X-A: b\r\nContent-Length: 0\r\n\r\n")],
                [.malformedResponse], nil
            ),
            ("garbage", [.send("\u{1}\u{2}nonsense\r\n\r\nmore\r\n"), .close], [.malformedResponse], nil),
            ("another protocol", [.send("SSH-2.0-OpenSSH_9\r\n"), .close], [.malformedResponse], nil),
        ]

    @Test(arguments: scripts.indices) func `faults of the server`(index: Int) async throws {
        let (name, script, codes, prefix) = Self.scripts[index]
        try await withServer(script: { $0.target == "/" ? script : [.respond(with: echo)] }) { server, transport in
            for method in [HTTPMethod.get, .post] {
                let body: HTTPBody = method == .get ? .empty : .text("abc")
                let error = try await transportError { try await transport.send(server.request(method, body: body)) }
                #expect(codes.contains(error.code), "\(name): \(error)")
                if let prefix {
                    #expect(error.head?.fields["X-A"] == "b" && error.bodyPrefix == Data(prefix.utf8), "\(name)")
                }
            }
            #expect(try await transport.send(server.request(.post, "/ok", body: .text("x"))).body == Data("x".utf8))
        }
    }

    @Test(arguments: [20, 200_000, 3 << 20])
    func `an idle connection that the server closed`(size: Int) async throws {
        // Each connection serves one request, announces keep-alive, and closes.
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.method.count)\r\n\r\n\(request.method)")
        })
        try await server.stopping(after: { server in
            // With a manual clock no timeout ends a hanging request.
            let transport = URLSessionTransport(configuration: .init(sessionCount: 1), clock: ManualClock())
            for round in 0..<8 {
                #expect(try await transport.send(server.request()).body == Data("GET".utf8))
                try await server.waitForOpenConnections(0)
                #expect(try await transport.send(server.request()).body == Data("GET".utf8))
                try await server.waitForOpenConnections(0)
                let method: HTTPMethod = round.isMultiple(of: 2) ? .post : .put
                do {
                    let log = EventLog()
                    let request = try server.request(method, body: .bytes(bytes(size)))
                    let response = try await transport.send(request, observer: log)
                    #expect(response.body == Data(method.name.utf8))
                    let sent = log.events.last { if case .sentBytes = $0 { true } else { false } }
                    #expect(sent == .sentBytes(Int64(size), total: Int64(size)))
                } catch let error as TransportError {
                    #expect([.connectionLost, .unknown].contains(error.code) && method == .post, "\(error)")
                }
                try await server.waitForOpenConnections(0)
            }
        })
    }
}
