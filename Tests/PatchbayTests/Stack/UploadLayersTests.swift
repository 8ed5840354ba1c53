import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A resumable upload of eight bytes through layers that send requests again.
@Suite(.needsSlot) struct UploadLayersTests {
    private let clock = ManualClock()

    /// A server of one upload by tus.
    /// - Parameter fail: what happens instead to a part; nil takes it.
    private func server(
        _ fail: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse? = { _ in nil }
    ) -> ScriptedTransport {
        let stored = Watched(0)
        return ScriptedTransport { request in
            var fields = HTTPFields()
            switch request.method {
            case .post: fields[.location] = "/u/1"
            case .head: break
            default:
                if let response = try fail(request) { return response }
                stored.update { $0 += Int(request.body.length ?? 0) }
            }
            fields["Upload-Offset"] = "\(stored.value)"
            return request.response(request.method == .post ? .created : .noContent, fields: fields)
        }
    }

    private func upload(
        over stack: Stack, to endpoint: String = "https://a.example/u", options: UploadOptions = UploadOptions()
    ) async throws -> HTTPResponse {
        try await clock.autoAdvancing {
            try await stack.upload(
                .text("12345678"), to: #require(URL(string: endpoint)), resuming: .tus, options: options, clock: clock)
        }
    }

    @Test func `its requests have no key, since a server would take the second one for the first`() async throws {
        let server = server()
        let stack = Stack(over: server, clock: clock).hedging(after: .milliseconds(200))
            .retrying(.standard, idempotencyKey: { "made" })
        let options = UploadOptions {
            $0.requestOptions.idempotencyKey = "film"
            $0.fields[.idempotencyKey] = "film"
        }
        #expect(try await upload(over: stack, options: options).status == .noContent)
        #expect(server.requests.map(\.method) == [.post, .patch])
        #expect(server.requests.allSatisfy { !$0.fields.contains(.idempotencyKey) })
    }

    @Test func `it is signed at the host of a list that has created it`() async throws {
        struct Signer: RequestSigner {
            func sign(_ request: inout HTTPRequest, at date: Date) async throws { request.fields["X-Signature"] = "s" }
        }
        let server = server()
        let transport = ScriptedTransport { request in
            guard request.url.host() != "a.example" else {
                throw TransportError(.connectionRefused, "Down.", request: request)
            }
            return try await server.send(request)
        }
        let hosts = try HostList("https://a.example", "https://b.example")
        let stack = Stack(over: transport, clock: clock).signing(Signer()).balancing(over: hosts)
        #expect(try await upload(over: stack).status == .noContent)
        #expect(
            server.requests.map { "\($0.method) \($0.url)" } == [
                "POST https://b.example/u", "PATCH https://b.example/u/1",
            ])
        #expect(transport.requests.allSatisfy { $0.fields["X-Signature"] == "s" })
    }

    @Test func `it waits itself for a busy server, longer than a layer that retries`() async throws {
        let isBusy = Watched(true)
        let server = server { request in
            guard isBusy.update({ $0.take() }) else { return nil }
            return request.response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": "120"]))
        }
        #expect(try await upload(over: .standard(over: server, clock: clock)).status == .noContent)
        #expect(server.requests.map(\.method) == [.post, .patch, .head, .patch])
        #expect(clock.now.offset >= .seconds(120))
    }

    @Test func `it waits for an open circuit`() async throws {
        let isLost = Watched(true)
        let server = server { request in
            guard isLost.update({ $0.take() }) else { return nil }
            throw TransportError(.connectionLost, "Cut.", request: request)
        }
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(10)), openDuration: .seconds(30))
        let stack = Stack(over: server, clock: clock).circuitBreaking(policy)
        #expect(try await upload(over: stack).status == .noContent)
        #expect(server.requests.map(\.method) == [.post, .patch, .head, .patch])
        #expect(clock.now.offset == .seconds(30))
    }

    @Test func `a part whose connection was lost is sent again from the server's offset only`() async throws {
        let isLost = Watched(true)
        let server = server { request in
            guard isLost.update({ $0.take() }) else { return nil }
            throw TransportError(.connectionLost, "Cut.", request: request)
        }
        let isLostAttempt: @Sendable (AttemptResult) -> Bool = { $0.status == nil }
        let always = Retry(classifier: .any(where: isLostAttempt), backoff: .immediate, limiter: .attempts(3))
        #expect(try await upload(over: Stack(over: server, clock: clock).retrying(always)).status == .noContent)
        #expect(server.requests.map(\.method) == [.post, .patch, .head, .patch])
    }
}

extension Bool {
    /// The value, which is false from now on.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
