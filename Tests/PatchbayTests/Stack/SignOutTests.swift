import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A call of one user never becomes one of the next user, and never gets the response of another one.
@Suite(.needsSlot) struct SignOutTests {
    private let origins: AllowedOrigins

    private let user = Watched("ann")
    private let clock = ManualClock()
    private let credentials: CredentialCache<BearerAuthorizer>

    init() throws {
        origins = try AllowedOrigins("https://example.com")
        credentials = CredentialCache(BearerAuthorizer { [user] in try OAuthToken(user.value) }, clock: clock)
    }

    private func signIn(_ name: String) {
        user.update { $0 = name }
        credentials.removeAll()
    }

    /// A transport that signs bob in while it sends the first request.
    private func signingInBob(_ status: HTTPStatus) -> ScriptedTransport {
        ScriptedTransport(
            [
                .init { request in
                    signIn("bob")
                    return request.response(status)
                }
            ], then: .text("done"))
    }

    private func stack(_ engine: some Transport) -> Stack {
        Stack(over: engine, clock: clock).authorizing(with: credentials, at: origins)
    }

    /// A chain made by hand, without a stack that begins the calls.
    private func chain(_ engine: some StreamingTransport) -> some StreamingTransport {
        engine.authorizing(with: credentials, at: origins)
    }

    /// Credentials of the stack itself, and of its engine.
    @Test(arguments: [true, false])
    func `a call does not share the request of the user before`(isInEngine: Bool) async throws {
        let gate = Gate()
        let engine = ScriptedTransport { request in
            try await gate.wait()
            return request.response(body: Data((request.fields[.authorization] ?? "").utf8))
        }
        let stack = (isInEngine ? Stack(over: chain(engine), clock: clock) : stack(engine)).coalescing()
        let request = try HTTPRequest(.get, "https://example.com/me")
        async let first = stack.send(request)
        _ = try await engine.requests(count: 1)
        signIn("bob")
        async let second = stack.send(request)
        _ = try await engine.requests(count: 2)
        gate.open()
        let texts = try await [first, second].map { String(decoding: $0.body, as: UTF8.self) }
        #expect(texts == ["Bearer ann", "Bearer bob"] && engine.requests.count == 2)
    }

    @Test func `equal calls of one user share a request`() async throws {
        let gate = Gate()
        let engine = ScriptedTransport([.after(gate, .text("ann's"))])
        let stack = stack(engine).coalescing().ignoringLaterSignOuts()
        let executor = ObservedExecutor()
        let request = try HTTPRequest(.get, "https://example.com/me")
        let first = Task(executorPreference: executor) { try await stack.send(request) }
        try await gate.waitForWaiters(1)
        let second = Task(executorPreference: executor) { try await stack.send(request) }
        try await executor.waitUntilIdle()
        gate.open()
        #expect(try await first.value.body == second.value.body && engine.requests.count == 1)
    }

    /// Retries of the stack itself, of one over it, of one over a layer of the app, and of a chain made by hand.
    @Test(arguments: 0..<4)
    func `a call is not sent again as the next user`(kind: Int) async throws {
        let engine = signingInBob(.serviceUnavailable)
        let stack =
            switch kind {
            case 0: AnyTransport(stack(engine).retrying(.standard))
            case 1: AnyTransport(Stack(over: stack(engine), clock: clock).retrying(.standard))
            case 2:
                AnyTransport(
                    Stack(over: stack(engine).onResponse({ _, _ in }), clock: clock).retrying(.standard))
            default: AnyTransport(chain(engine).retrying(.standard, clock: clock))
            }
        let error = await #expect(throws: AuthenticationError.self) {
            try await clock.autoAdvancing { try await stack.send(HTTPRequest(.get, "https://example.com/me")) }
        }
        #expect(error?.code == .signedOut && engine.requests.map { $0.fields[.authorization] } == ["Bearer ann"])
        // The next call is one of the next user.
        _ = try await stack.send(HTTPRequest(.get, "https://example.com/me"))
        #expect(engine.requests.last?.fields[.authorization] == "Bearer bob")
    }

    @Test func `a chain made by hand does not follow a redirect as the next user`() async throws {
        let engine = ScriptedTransport { request in
            signIn("bob")
            return request.response(.found, fields: try HTTPFields(["Location": "/other"]))
        }
        let error = await #expect(throws: AuthenticationError.self) {
            try await chain(engine).redirecting().send(HTTPRequest(.get, "https://example.com/me"))
        }
        #expect(error?.code == .signedOut && engine.requests.map { $0.fields[.authorization] } == ["Bearer ann"])
    }

    @Test(arguments: [true, false])
    func `a call that waits for a slot is not sent as the next user`(isStack: Bool) async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let engine = ScriptedTransport([], then: .text("done"))
        let stack =
            isStack ? AnyTransport(stack(engine).queued(in: queue)) : AnyTransport(chain(engine).queued(in: queue))
        queue.pause()
        let call = Task { try await stack.send(HTTPRequest(.post, "https://example.com/orders")) }
        try await eventually("the call waits") { queue.waitingCount == 1 }
        signIn("bob")
        queue.resume()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value }
        #expect(error?.code == .signedOut && engine.requests.isEmpty)
    }

    @Test func `an upload does not go on as the next user`() async throws {
        let engine = ScriptedTransport { request in
            if request.method == .patch { signIn("bob") }
            return request.response(
                request.method == .post ? .created : .serviceUnavailable,
                fields: try HTTPFields(["Location": "https://example.com/u/1"]))
        }
        let error = await #expect(throws: AuthenticationError.self) {
            try await clock.autoAdvancing {
                try await stack(engine).upload(
                    .text("a film"), to: #require(URL(string: "https://example.com/u")), resuming: .tus, clock: clock)
            }
        }
        #expect(error?.code == .signedOut)
        #expect(engine.requests.map { $0.fields[.authorization] } == ["Bearer ann", "Bearer ann"])
    }

    /// Through a cache and a queue too, which stand between the credentials and the parts.
    @Test(arguments: 0..<3)
    func `a download does not go on as the next user`(kind: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let engine = CuttingTransport(gate: Gate())
        let stack =
            switch kind {
            case 0: AnyTransport(stack(engine))
            case 1: AnyTransport(stack(engine).retrying(.standard).caching().queued())
            default: AnyTransport(chain(engine))
            }
        let call = Task {
            try await clock.autoAdvancing {
                try await stack.download(
                    HTTPRequest(.get, "https://example.com/file"), to: folder.appending(path: "file"),
                    options: .retrying, clock: clock)
            }
        }
        try await engine.requests.wait { $0.count == 1 }
        signIn("bob")
        engine.gate.open()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value }
        #expect(error?.code == .signedOut)
        #expect(engine.requests.value.map { $0.fields[.authorization] } == ["Bearer ann"])
        // The next call is one of the next user, and continues the file.
        let file = try await stack.download(
            HTTPRequest(.get, "https://example.com/file"), to: folder.appending(path: "file"), options: .retrying)
        #expect(file.resumedBytes == 4 && engine.requests.value.last?.fields[.authorization] == "Bearer bob")
    }

    @Test func `the pages of a list are those of one user`() async throws {
        let engine = ScriptedTransport { $0.response(json: .array([.integer(1)])) }
        let client = try APIClient("https://example.com", over: stack(engine))
        var count = 0
        let error = await #expect(throws: AuthenticationError.self) {
            for try await _ in client.pages("orders", of: [Int].self, next: .pageNumber()) {
                count += 1
                if count == 2 { signIn("bob") }
            }
        }
        #expect(error?.code == .signedOut)
        #expect(engine.requests.map { $0.fields[.authorization] } == ["Bearer ann", "Bearer ann"])
        #expect(Set(engine.requests.map(\.options.callID)).count == 2)
    }

    @Test func `the calls of a batch are those of one user`() async throws {
        let engine = ScriptedTransport { $0.response(json: .integer(1)) }
        let client = try APIClient("https://example.com", over: stack(engine))
        var results: [String] = []
        try await client.forEachResult(of: (0..<3).map { EndpointRequest<Int>.get("orders/\($0)") }, inFlight: 1) {
            _, result in
            if results.isEmpty { signIn("bob") }
            results.append((try? result.get()).map { "\($0)" } ?? "signed out")
        }
        #expect(results == ["1", "signed out", "signed out"])
        #expect(engine.requests.map { $0.fields[.authorization] } == ["Bearer ann"])
    }

    @Test func `the response after a stored one is not that of the next user`() async throws {
        let engine = ScriptedTransport { request in
            request.response(.ok, fields: try HTTPFields(["Cache-Control": "max-age=10"]), body: Data("a".utf8))
        }
        let stack = stack(engine).caching()
        let request = try HTTPRequest(.get, "https://example.com/me")
        _ = try await stack.send(request)
        await clock.advance(by: .seconds(20))
        var count = 0
        let error = await #expect(throws: AuthenticationError.self) {
            for try await _ in stack.cachedThenNetwork(request) {
                count += 1
                signIn("bob")
            }
        }
        #expect(error?.code == .signedOut && count == 1 && engine.requests.count == 1)
    }

    @Test func `events do not go on as the next user`() async throws {
        let engine = ScriptedTransport { request in
            signIn("bob")
            return request.response(
                .ok, fields: try HTTPFields(["Content-Type": "text/event-stream"]), body: Data("data: 1\n\n".utf8))
        }
        let stack = stack(engine)
        let events = EventSource(try HTTPRequest(.get, "https://example.com/events"), clock: clock) {
            try await stack.stream($0)
        }
        let error = await #expect(throws: AuthenticationError.self) {
            try await clock.autoAdvancing { for try await _ in events {} }
        }
        #expect(error?.code == .signedOut && engine.requests.map { $0.fields[.authorization] } == ["Bearer ann"])
    }

    @Test func `a call that waits for a token at the sign-out fails, and gets none of the next user`() async throws {
        let gate = Gate()
        let credentials = CredentialCache(
            BearerAuthorizer { [user] in
                try? await gate.wait()
                return try OAuthToken(user.value)
            }, clock: clock)
        let engine = ScriptedTransport([], then: .text("done"))
        let stack = Stack(over: engine, clock: clock).retrying(.standard).authorizing(with: credentials, at: origins)
        let request = try HTTPRequest(.get, "https://example.com/me")
        let call = Task { try await stack.send(request) }
        try await gate.waitForWaiters(1)
        user.update { $0 = "bob" }
        credentials.removeAll()
        gate.open()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value }
        #expect(error?.code == .signedOut && engine.requests.isEmpty)
        _ = try await stack.send(request)
        #expect(engine.requests.map { $0.fields[.authorization] } == ["Bearer bob"])
    }

    @Test func `the sign-out of another user has no effect`() async throws {
        let other = CredentialCache(BearerAuthorizer { try OAuthToken("other") })
        let engine = ScriptedTransport(
            [
                .init { request in
                    other.removeAll()
                    return request.response(.serviceUnavailable)
                }
            ], then: .text("done"))
        let origins = try AllowedOrigins("https://other.example")
        let stack = stack(engine).retrying(.standard).authorizing(with: other, at: origins)
        let response = try await clock.autoAdvancing {
            try await stack.send(HTTPRequest(.get, "https://example.com/me"))
        }
        #expect(response.status == .ok && engine.requests.count == 2)
    }

    @Test func `credentials below the engine, of which the stack knows nothing, go on after a sign-out`() async throws {
        let engine = ScriptedTransport([], then: .text("done"))
        let base = engine.authorizing(with: credentials, at: origins)
        let stack = Stack(over: base, clock: clock).retrying(.standard).layer { $0.onResponse { _, _ in } }
        signIn("bob")
        _ = try await stack.send(HTTPRequest(.get, "https://example.com/me"))
        #expect(engine.requests.map { $0.fields[.authorization] } == ["Bearer bob"])
    }

    @Test func `the mark of a call is no difference between requests`() async throws {
        let engine = ScriptedTransport([], then: .text("done"))
        let request = try HTTPRequest(.get, "https://other.example/a")
        _ = try await stack(engine).retrying(.standard).send(request)
        #expect(engine.requests.map(\.options) == [request.options] && engine.requests[0].options.callID != nil)
    }
}
