import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import ResponseDecoding
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct AKErrorNSErrorTests {
    static let rows: [(TransportError.Code, TransportError.TLSFailure?, Int)] = [
        (.unreachable, nil, NSURLErrorNotConnectedToInternet), (.timedOut, nil, NSURLErrorTimedOut),
        (.connectionRefused, nil, NSURLErrorCannotConnectToHost), (.hostNotFound, nil, NSURLErrorCannotFindHost),
        (.connectionLost, nil, NSURLErrorNetworkConnectionLost), (.tls, .handshake, -1200),
        (.tls, .expiredCertificate, -1201), (.tls, .untrustedCertificate, -1202), (.tls, .hostMismatch, -1202),
        (.tls, nil, -1200), (.cancelled, nil, NSURLErrorCancelled),
    ]

    private func expect(_ error: NSError?, _ code: Int, _ url: String) {
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSURLErrorDomain)
        #expect(cause?.code == code)
        for error in [error, cause] {
            #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == url)
            #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] is URL)
        }
    }

    @Test(arguments: rows)
    func `a network error has URLSession's error as underlying error, with its code and the redacted URL`(
        row: (code: TransportError.Code, tls: TransportError.TLSFailure?, number: Int)
    ) async throws {
        let transport = FakeTransport { request in
            throw TransportError(row.code, "It failed.", request: request, tlsFailure: row.tls)
        }
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("https://akula.test"))
        let data = AKHTTPRequestData()
        data.addQueryParameter("token", value: "hush")
        var error: NSError?
        _ = blocking { agent.getSync("/x", requestData: data, error: &error) }
        #expect(error?.domain == AKError.errorDomain)
        #expect(error?.code == (row.code == .cancelled ? -6 : -3))
        expect(error, row.number, "https://akula.test/x?token=<redacted>")
    }

    @Test func `a refused connection over the network is NSURLErrorCannotConnectToHost`() async throws {
        let port = try RefusedPort()
        let agent = ServerAgent(
            transport: URLSessionTransport(), scope: try AKAppScope("http://127.0.0.1:\(port.port)"))
        var error: NSError?
        _ = blocking { agent.getSync("/x", error: &error) }
        expect(error, NSURLErrorCannotConnectToHost, "http://127.0.0.1:\(port.port)/x")
    }

    @Test func `without a URLSession code the underlying error is the TransportError`() async throws {
        let transport = FakeTransport { request in
            throw TransportError(.unsupported, "It failed.", request: request)
        }
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("https://akula.test"))
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x") }
        let cause = thrown.map { $0 as NSError }?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == TransportError.errorDomain)
    }

    @Test(arguments: [AdmissionError.Code.circuitOpen, .queueFull, .expired])
    func `a request that a layer refused to send is a transport error`(code: AdmissionError.Code) async throws {
        let transport = FakeTransport { request in throw AdmissionError(code, "Refused.", request: request) }
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("https://akula.test"))
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x?token=hush") }
        #expect(thrown?.code == .transport)
        #expect(thrown?.message == "GET https://akula.test/x?token=<redacted>: Refused.")
        let error = thrown.map { $0 as NSError }
        guard code != .expired else { return expect(error, -1001, "https://akula.test/x?token=<redacted>") }
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == AdmissionError.errorDomain)
    }

    @Test func `the message of a layer's error that quotes a body is not repeated`() async throws {
        let transport = FakeTransport { request in
            let page = request.response(text: "swordfish")
            throw ResponseDecodingError(.invalidJSON, "Expected JSON, got text/plain: swordfish", response: page)
        }
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("https://akula.test"))
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x") }
        #expect(thrown?.code == .transport && thrown?.description.contains("swordfish") == false)
        #expect(thrown?.underlying is ResponseDecodingError)
    }

    @Test func `the message of a retried call has the number of attempts`() async throws {
        let transport = FakeTransport { request in
            throw TransportError(.connectionRefused, "Connection refused.", request: request)
        }
        let retry = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))
        let agent = ServerAgent(transport: transport.retrying(retry), scope: try AKAppScope("https://akula.test"))
        let thrown = await #expect(throws: AKError.self) { try await agent.get("/x") }
        #expect(
            thrown?.message == "GET https://akula.test/x: Connection refused, after 3 attempts with 0.0 s of backoff.")
    }

    @Test func `a status error has the URL and no underlying error`() async throws {
        try await Fixture.run(.memory) { fixture in
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x?key=hush") }
            let error = thrown.map { $0 as NSError }
            #expect(error?.code == 503)
            #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == "\(fixture.base)/x?key=<redacted>")
            #expect(error?.userInfo[NSUnderlyingErrorKey] == nil)
        } respond: {
            $0.response(.serviceUnavailable)
        }
    }
}
