import Delegation
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// Failures of the network over real sockets, as the envelope shows them.
@Suite(.needsSlot) struct NetworkFailureTests {
    private func client(
        _ host: String, _ transport: some Transport = URLSessionTransport.withoutDeadlines, retries: Int = 0
    ) -> HyperHive {
        HyperHive(
            HyperHiveConfiguration(host: host, environment: "e", project: "p", device: "d"), transport: transport,
            options: HyperHiveOptions(timeouts: Timeouts(response: .seconds(5), idle: .seconds(5)), retryCount: retries)
        )
    }

    /// The error of a call that must fail.
    private func failure(of client: HyperHive) async throws -> HyperHiveError {
        let error = await #expect(throws: HyperHiveError.self) { try await client.request("R") }
        return try #require(error)
    }

    private func expect(
        _ error: HyperHiveError, _ number: Int, retries: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error.code == .transport && error.result.status == .error, sourceLocation: sourceLocation)
        #expect(
            error.result.errors.map(\.source) == [.curl] && error.result.errors.map(\.code) == [number], "\(error)",
            sourceLocation: sourceLocation)
        #expect(error.result.retryCount == retries, sourceLocation: sourceLocation)
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private static let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        arguments: [
            ("no response", [.close], 52, true), ("half a body", [.send(head + "12345"), .close], 56, false),
            ("half a chunked body", [.send(chunks + "5\r\n12345\r\n"), .close], 56, false),
            ("another protocol", [.send("SSH-2.0-OpenSSH_9\r\n"), .close], 56, false),
        ] as [(String, ServerScript, Int, Bool)])
    func `HyperHive 16: a broken response is cURL 52 without a byte, else 56, and a POST is retried for 52 only`(
        name: String, script: ServerScript, number: Int, isRetried: Bool
    ) async throws {
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let error = try await failure(of: client("http://127.0.0.1:\(server.port)", retries: 1))
            expect(error, number, retries: isRetried ? 1 : 0)
            #expect(server.requestCount == (isRetried ? 2 : 1), "\(name)")
        }
    }

    @Test func `HyperHive 16: a refused connection is cURL 7, and a host that is not found cURL 6`() async throws {
        let port = try RefusedPort()
        expect(try await failure(of: client("http://127.0.0.1:\(port.port)", retries: 1)), 7, retries: 1)
        // A name that no DNS server is asked for, since its label is too long (RFC 1035, section 2.3.4).
        let host = String(repeating: "a", count: 64) + ".invalid"
        expect(try await failure(of: client("http://\(host)")), 6, retries: 0)
    }

    @Test func `HyperHive 16: a server without TLS is cURL 35`() async throws {
        let server = try LoopbackServer(connections: { connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.stall()
        })
        try await server.stopping { server in
            let error = try await failure(of: client("https://127.0.0.1:\(server.port)"))
            expect(error, 35, retries: 0)
            #expect(error.result.response == nil)
        }
    }

    @Test(arguments: [false, true])
    func `HyperHive 16: a server that hangs is cURL 28, before its response and within it`(
        hasResponse: Bool
    ) async throws {
        let script: ServerScript = hasResponse ? [.send(Self.head + "12345"), .stall] : [.stall]
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let clock = ManualClock()
            let client = client("http://127.0.0.1:\(server.port)", URLSessionTransport(clock: clock))
            let recorder = EventRecorder()
            let call = Task {
                await #expect(throws: HyperHiveError.self) { try await client.request("R", observer: recorder) }
            }
            try await server.requests(count: 1)
            if hasResponse { try await recorder.wait { $0.last == .receivedBytes(5, total: 10) } }
            try await clock.wait { $0.first?.offset == .seconds(5) }
            // The engine may report the sent body after the server has it, which starts the timeout again.
            let error = try #require(await clock.autoAdvancing { await call.value })
            expect(error, 28, retries: 0)
        }
    }

    @Test func `HyperHive 16: a call that is cancelled while the server hangs has the status cancel`() async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { server in
            let controller = HHFWController(client: client("http://127.0.0.1:\(server.port)", retries: 3))
            controller.delivery = .inline
            let once = ExactlyOnce<JSONValue>("auth")
            let call = controller.auth("ann", password: "open sesame") { once.succeed(envelope($0)) }
            try await server.requests(count: 1)
            call.cancel()
            guard case .success(let envelope) = try await once.outcome else { throw CancellationError() }
            #expect(envelope["status"] == "cancel" && envelope["errors"] == [] && envelope["http"] == nil)
            await call.wait()
            try once.check()
            #expect(server.requestCount == 1)
        }
    }

    // MARK: Lost responses

    private static let kiwi = #"{"upsert_rows":[[5,"Kiwi","east"]]}"#

    /// A client that retries once, and whose transport does not send a request again by itself.
    private func patientClient(_ hive: Hive) async throws -> HyperHive {
        let client = HyperHive(
            hive.client.configuration, transport: FreshConnections(), options: HyperHiveOptions(retryCount: 1))
        try await client.signIn("ann", password: "open sesame")
        return client
    }

    @Test func `HyperHive 22: a lost response is got by a retry with its transaction ID, and runs once`() async throws {
        try await Hive.serving { hive in
            let client = try await patientClient(hive)
            hive.service.inject(.lost)
            let id = UUID().uuidString
            let tables = try await client.table(
                "FRUITS_CHANGE", parameters: Self.kiwi, options: HyperHiveCallOptions(transactionID: id))
            #expect(tables.map(\.rows) == [[[1, 0]]])
            #expect(hive.sent("X-Transaction-ID") == [id, id])
            let counts = hive.service.counts
            #expect(counts.changes == 1 && counts.replays == 1 && counts.lostResponses == 1)
        }
    }

    @Test func `HyperHive 22: a lost response without a transaction ID is an error of the retry`() async throws {
        try await Hive.serving { hive in
            let client = try await patientClient(hive)
            hive.service.inject(.lost)
            let error = await #expect(throws: HyperHiveError.self) {
                try await client.table("FRUITS_CHANGE", parameters: Self.kiwi)
            }
            #expect(error?.code == .status && error?.result.errors.first?.code == 409 && error?.result.retryCount == 1)
            #expect(hive.sent("X-Transaction-ID") == [nil, nil])
            let counts = hive.service.counts
            #expect(counts.changes == 1 && counts.refusedRepeats == 1 && counts.lostResponses == 1)
        }
    }
}

/// Sends each request over a connection of its own. Over one that was idle, the engine may send it twice by itself.
private struct FreshConnections: StreamingTransport {
    private var transport: URLSessionTransport { URLSessionTransport(clock: ManualClock()) }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await transport.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await transport.stream(request, observer: observer)
    }
}
