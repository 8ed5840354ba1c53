import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite("Failures of the engine", .needsSlot) struct TransportErrorURLErrorTests {
    private static let table: [(String, TransportError.Code, TransportError.TLSFailure?)] = [
        (
            "Failed to connect to tls.example.com port 443 after 0 ms: Couldn't connect to server", .connectionRefused,
            nil
        ),
        ("Could not resolve host: ssl.header.chunk.example", .hostNotFound, nil),
        ("connect to 1.2.3.4 port 80 failed: Network is unreachable", .unreachable, nil),
        ("connect to 1.2.3.4 port 80 failed: No route to host", .unreachable, nil),
        ("Could not resolve proxy: tls.example", .proxy, nil),
        ("CONNECT tunnel failed, response 407", .proxy, nil),
        ("SSL certificate problem: certificate has expired", .tls, .expiredCertificate),
        ("SSL certificate problem: certificate is not yet valid", .tls, .expiredCertificate),
        ("SSL certificate problem: self-signed certificate", .tls, .untrustedCertificate),
        ("SSL certificate problem: unable to get local issuer certificate", .tls, .untrustedCertificate),
        ("SSL: no alternative certificate subject name matches target host name 'a.b'", .tls, .hostMismatch),
        ("OpenSSL SSL_connect: Connection reset by peer in connection to host:443", .tls, .handshake),
        ("TLS connect error: error:0A000126:SSL routines::unexpected eof", .tls, .handshake),
        ("Empty reply from server", .connectionLost, nil),
        ("Recv failure: Connection reset by peer", .connectionLost, nil),
        ("Send failure: Broken pipe", .connectionLost, nil),
        ("necessary data rewind wasn't possible", .connectionLost, nil),
        ("transfer closed with 5 bytes remaining to read", .truncated, nil),
        ("transfer closed with outstanding read data remaining", .truncated, nil),
        ("Error while processing content unencoding: incorrect header check", .undecodableContent, nil),
        ("Unrecognized content encoding type. libcurl understands gzip", .undecodableContent, nil),
        ("Received HTTP/0.9 when not allowed", .malformedResponse, nil),
        ("Failed writing header", .malformedResponse, nil),
        ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .connectionLost, nil),
        ("Something new", .unknown, nil),
    ]

    @Test("the text decides", arguments: table.indices) func texts(index: Int) {
        let (text, code, tlsFailure) = Self.table[index]
        let failure = EngineFailure(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text]))
        #expect(failure.code == code && failure.tlsFailure == tlsFailure, "\(text)")
    }

    @Test(
        "without a text the code decides",
        arguments: [
            (-999, TransportError.Code.cancelled), (-1000, .unsupported), (-1001, .timedOut),
            (-1002, .malformedResponse),
            (-1003, .hostNotFound), (-1004, .connectionRefused), (-1005, .connectionLost), (-1009, .unreachable),
            (-1011, .connectionLost), (-1015, .undecodableContent), (-1016, .undecodableContent),
            (-1017, .malformedResponse), (-1200, .tls), (-1202, .tls), (-1, .unknown), (-4711, .unknown),
        ])
    func codes(code: Int, expected: TransportError.Code) {
        let error = NSError(domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: "-"])
        #expect(EngineFailure(error).code == expected)
    }

    @Test("the engine's error loses the URL") func secrets() throws {
        let error = URLError(
            .badServerResponse,
            userInfo: [
                NSLocalizedDescriptionKey: "Empty reply from server",
                "NSErrorFailingURLStringKey": "http://h/?token=s3cret",
            ])
        let failure = EngineFailure(error)
        #expect(!"\(failure.underlying) \(String(reflecting: failure))".contains("s3cret"))
        #expect((failure.underlying as? URLError)?.code == .badServerResponse)
    }

    @Test("nobody listens") func refused() async throws {
        let port = try RefusedPort()
        let request = try HTTPRequest(.post, port.url(of: "/?token=s3cret"), body: .text("x"))
        let error = try await transportError { try await URLSessionTransport.shared.send(request) }
        #expect(error.code == .connectionRefused && error.head == nil)
        #expect(!"\(error) \(String(describing: error.underlying))".contains("s3cret"))
    }

    @Test("a name without an address") func unknownHost() async throws {
        let error = try await transportError {
            try await URLSessionTransport.shared.send(HTTPRequest(.get, "http://nope.invalid/"))
        }
        #expect(error.code == .hostNotFound)
    }

    private static let length = "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\n"
    private static let chunks = "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let plans: [(name: String, plan: FaultPlan, codes: [TransportError.Code], prefix: String?)] = [
        ("reset before the head", [.reset], [.connectionLost], nil),
        ("no answer", [.close], [.connectionLost], nil),
        ("body too short", [.send(length + "1234"), .close], [.truncated], "1234"),
        ("no body at all", [.send(length), .close], [.truncated], ""),
        ("reset within the body", [.send(length + "1234"), .reset], [.connectionLost, .truncated], nil),
        ("chunks without an end", [.send(chunks + "4\r\n1234\r\n"), .close], [.truncated], "1234"),
        ("half a chunk", [.send(chunks + "4\r\n12"), .close], [.truncated], "12"),
        ("a chunk without a size", [.send(chunks + "nonsense\r\n"), .close], [.malformedResponse], nil),
        ("garbage", [.send("\u{1}\u{2}nonsense\r\n\r\nmore\r\n"), .close], [.malformedResponse], nil),
        ("another protocol", [.send("SSH-2.0-OpenSSH_9\r\n"), .close], [.malformedResponse], nil),
    ]

    @Test("faults of the server", arguments: plans.indices) func faults(index: Int) async throws {
        let (name, plan, codes, prefix) = Self.plans[index]
        try await withServer(plan: { $0.target == "/" ? plan : [.answer(by: echo)] }) { server, transport in
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

    @Test("a connection that died while nobody used it", arguments: [20, 200_000, 3 << 20])
    func deadConnection(size: Int) async throws {
        // Each connection answers one request, says that it stays open, and closes.
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.method.count)\r\n\r\n\(request.method)")
        })
        try await server.stopping(after: { server in
            // Its clock stands still: no deadline ends a request that hangs.
            let transport = URLSessionTransport(configuration: .init(sessions: 1), clock: ManualClock())
            for round in 0..<8 {
                #expect(try await transport.send(server.request()).body == Data("GET".utf8))
                try await server.waitForOpenConnections(0)
                #expect(try await transport.send(server.request()).body == Data("GET".utf8))
                try await server.waitForOpenConnections(0)
                let method: HTTPMethod = round.isMultiple(of: 2) ? .post : .put
                do {
                    let response = try await transport.send(server.request(method, body: .bytes(bytes(size))))
                    #expect(response.body == Data(method.name.utf8))
                } catch let error as TransportError {
                    #expect([.connectionLost, .unknown].contains(error.code) && method == .post, "\(error)")
                }
                try await server.waitForOpenConnections(0)
            }
        })
    }
}
