import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct StackTests {
    private let tokens = BearerAuthorizer { try OAuthToken("token") }

    @Test func `a Retry-After of more than a minute ends an event stream`() async throws {
        let transport = ScriptedTransport { request in
            request.response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": "120"]))
        }
        let client = try APIClient("https://example.com", over: Stack.standard(over: transport, clock: ManualClock()))
        let error = await #expect(throws: AdmissionError.self) {
            for try await _ in try client.events("feed") {}
        }
        #expect(error?.code == .retryAfterTooLong && error?.httpStatus == .serviceUnavailable)
        #expect(transport.requests.count == 1)
    }

    @Test func `5: the layers have their places, regardless of the order of the modifiers`() {
        let stack = Stack.standard.waitingForConnectivity(.system).hedging(after: .seconds(1)).coalescing()
            .circuitBreaking()
            .authorizing(with: tokens, at: .baseURL).queued().keepingCookies().modifyingRequests { _ in }.caching()
        #expect(
            "\(stack)"
                == "modifyingRequests(eachCall) > coalescing > retrying > connectivity > hedging > queued > authorizing > redirecting > keepingCookies > caching > circuitBreaking > URLSessionTransport"
        )
        #expect("\(Stack.standard)" == "retrying > redirecting > URLSessionTransport")
    }

    @Test func `a monitor of a stack sees calls and attempts with their traces, and templates of the client`()
        async throws
    {
        let (spans, kinds) = (Watched<[CallSpan]>([]), Watched<[String]>([]))
        let monitor = EventMonitor([
            .spans { span in spans.update { $0.append(span) } },
            .handler { event in if case .ended(let end) = event.kind { kinds.update { $0.append("\(end.attempts)") } }
            },
        ])
        let transport = ScriptedTransport([.status(.serviceUnavailable)], then: .text("done"))
        let clock = ManualClock()
        let stack = Stack.standard(over: transport, clock: clock).tracing().observing(by: monitor).queued()
        #expect(
            "\(stack)"
                == "observing > retrying > queued > redirecting > tracing > observingAttempts > ScriptedTransport")
        let client = try APIClient("https://example.com", over: stack)
        let id = 7
        let text: String = try await clock.autoAdvancing { try await client.get("items/\(id)") }
        await monitor.flush()
        #expect(text == "done" && kinds.value == ["2"])
        #expect(spans.value.map(\.name) == ["GET /items/{}", "GET /items/{}"])
        #expect(Set(spans.value.compactMap(\.context?.traceID)).count == 1)
        #expect(transport.requests.compactMap { TraceContext($0.fields)?.spanID } == spans.value.map(\.context?.spanID))
    }

    @Test func `a trace for the base URL does not follow a redirect to another origin`() async throws {
        let moved = ScriptedTransport.Step { request in
            try request.response(.found, fields: HTTPFields(["Location": "https://other.example/"]))
        }
        let transport = ScriptedTransport([moved], then: .text("done"))
        let stack = Stack.standard(over: transport, clock: ManualClock()).tracing(at: .baseURL)
        _ = try await APIClient("https://example.com", over: stack).get("a")
        #expect(transport.requests.map { TraceContext($0.fields) != nil } == [true, false])
    }

    @Test func `5: the standard stack follows redirects and retries what is safe to send twice`() async throws {
        let moved = ScriptedTransport.Step { request in
            try request.response(.found, fields: HTTPFields(["Location": "/new"]))
        }
        let transport = ScriptedTransport(
            [.status(.serviceUnavailable), moved, .text("done")], then: .status(.serviceUnavailable))
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: .standard(over: transport, clock: clock))
        let text: String = try await clock.autoAdvancing { try await client.get("old") }
        #expect(text == "done" && transport.requests.map(\.url.path) == ["/old", "/old", "/new"])
        await #expect(throws: ServerError<JSONValue>.self) { try await client.post("orders") }
        #expect(transport.requests.count == 4)
    }

    @Test func `5: a modifier of a stack is never that of all transports, which would be outside of all layers`() throws
    {
        let origins = try AllowedOrigins("https://example.com")
        let key = try SigningKey(.hmacSHA256, rawRepresentation: Data(repeating: 7, count: 32), id: "k")
        let all: [any Transport] = [
            Stack.standard.caching(), Stack.standard.caching(in: HTTPCache()),
            Stack.standard.redirecting(), Stack.standard.redirecting(.standard),
            Stack.standard.keepingCookies(), Stack.standard.keepingCookies(in: CookieJar()),
            Stack.standard.retrying(.standard), Stack.standard.retrying(.standard) { "key" },
            Stack.standard.queued(), Stack.standard.queued(in: RequestQueue()),
            Stack.standard.queued(in: RequestQueue(), cancellationScope: .tagged),
            Stack.standard.hedging(after: .seconds(1)), Stack.standard.hedging(after: .seconds(1), maximumAttempts: 3),
            Stack.standard.waitingForConnectivity(ManualNetworkMonitor()),
            Stack.standard.circuitBreaking(), Stack.standard.circuitBreaking(CircuitPolicy()),
            Stack.standard.compressingRequests(), Stack.standard.compressingRequests(AcceptedCodings()),
            Stack.standard.signing(.httpMessageSignature(key, components: [.method])),
            Stack.standard.signing(
                .httpMessageSignature(key, components: [.method]), at: origins, clock: ServerClock()),
            Stack.standard.limiting(to: .byServer), Stack.standard.limiting(to: .byServer, by: .template),
            Stack.standard.limiting(by: RateLimiter(.byServer)),
            Stack.standard.limitingBandwidth(), Stack.standard.limitingBandwidth(.unlimited),
            Stack.standard.limitingBandwidth(by: BandwidthLimiter(.unlimited)),
            Stack.standard.balancing(over: try HostList(["https://example.com", "https://other.example"])),
            Stack.standard.coalescing(), Stack.standard.observing(by: EventMonitor([])),
            Stack.standard.tracing(), Stack.standard.modifyingRequests { _ in },
            Stack.standard.onResponse { _, _ in },
            Stack.standard.authorizing(with: tokens, at: origins),
            Stack.standard.authorizing(with: tokens, at: .baseURL, policy: .standard),
            Stack.standard.authorizing(with: CredentialCache(tokens), at: origins),
            Stack.standard.authorizing(with: .password(user: "a", password: "b"), at: origins),
        ]
        for (number, stack) in all.enumerated() { #expect(stack is Stack, "number \(number)") }
    }

    @Test
    func `5: each attempt gets a credential that is valid, regardless of the order in which the stack was written`()
        async throws
    {
        let count = Watched(0)
        let numbered = BearerAuthorizer { try OAuthToken("\(next(count))") }
        let transport = ScriptedTransport([.status(.unauthorized), .status(.serviceUnavailable)], then: .text("done"))
        let clock = ManualClock()
        let stack = Stack.standard(over: transport, clock: clock).authorizing(with: numbered, at: .baseURL)
        let client = try APIClient("https://example.com", over: stack)
        _ = try await clock.autoAdvancing { try await client.get("a") }
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer 1", "Bearer 2", "Bearer 2"])
    }

    @Test func `5: a cache is below cookies and credentials, and sees the user of each request`() async throws {
        let transport = ScriptedTransport(
            [],
            then: .init { request in try request.response(.ok, fields: HTTPFields(["Cache-Control": "max-age=60"])) })
        let cache = HTTPCache()
        let stack = Stack(over: transport, clock: ManualClock()).caching(in: cache)
        for token in ["a", "b", "a"] {
            let user = stack.authorizing(with: try BearerAuthorizer(token: token), at: .baseURL)
            try await APIClient("https://example.com", over: user).get("a")
        }
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer a", "Bearer b"])
        #expect(cache.statistics.hits == 1)
    }

    @Test func `5: a response of a cache without a request is not retried`() async throws {
        let stack = Stack.standard(over: ScriptedTransport([], then: .text("x")), clock: ManualClock()).caching()
        var request = try HTTPRequest(.get, "https://example.com/a")
        request.options.cachePolicy = .onlyIfCached
        #expect(try await stack.send(request).status == .gatewayTimeout)
    }

    @Test func `5: credentials for the base URL stay with its origin`() async throws {
        let transport = ScriptedTransport([], then: .text("ok"))
        let stack = Stack(over: transport).authorizing(with: tokens, at: .baseURL)
        let client = try APIClient("https://example.com/api", over: stack)
        try await client.get("a")
        var request = try client.request(for: EndpointRequest<Void>.get("a"))
        try request.setURL("https://other.example/a")
        _ = try await stack.send(request)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer token", nil])
    }

    @Test func `5: requests without a client get credentials for the base URL of the client over the stack`()
        async throws
    {
        let transport = ScriptedTransport([], then: .text("ok"))
        let stack = Stack(over: transport).authorizing(with: tokens, at: .baseURL)
        let request = try HTTPRequest(.get, "https://example.com/a")
        _ = try await stack.send(request)
        let client = try APIClient("https://example.com/api", over: stack)
        _ = try await stack.send(request)
        _ = try await client.transport.send(request)
        _ = try await client.transport.send(HTTPRequest(.get, "https://other.example/a"))
        #expect(transport.requests.map { $0.fields[.authorization] } == [nil, "Bearer token", "Bearer token", nil])
    }

    @Test func `5: credentials for the base URL are those of one client's origin`() async throws {
        let transport = ScriptedTransport([], then: .status(.unauthorized))
        let stack = Stack(over: transport).authorizing(with: try BearerAuthorizer(token: "a"), at: .baseURL)
        let (first, second) = (
            try APIClient("https://example.com", over: stack), try APIClient("https://other.example", over: stack)
        )
        await #expect(throws: ServerError<JSONValue>.self) { try await first.get("a") }
        let sent = transport.requests.count
        let error = await #expect(throws: ServerError<JSONValue>.self) { try await second.get("a") }
        #expect(transport.requests.prefix(sent).allSatisfy { $0.fields[.authorization] == "Bearer a" })
        #expect(transport.requests.dropFirst(sent).map { $0.fields[.authorization] } == [nil])
        #expect(
            error?.message.contains(
                "no credential was sent to https://other.example:443: allowed is the origin of the base URL https://example.com:443"
            ) == true)
    }

    @Test(arguments: [false, true])
    func `5: credentials for the base URL are those of the client made first, also if a later one calls first`(
        isOverFirst: Bool
    ) async throws {
        let transport = ScriptedTransport([], then: .text("ok"))
        let key = try SigningKey(.hmacSHA256, rawRepresentation: Data(repeating: 7, count: 32), id: "k")
        let stack = Stack(over: transport).authorizing(with: tokens, at: .baseURL)
            .signing(.httpMessageSignature(key, components: [.method]), at: .baseURL)
        let first = try APIClient("https://example.com", over: stack)
        let second =
            isOverFirst
            ? try APIClient("https://other.example/v1", over: first.transport)
            : try APIClient("https://other.example/v1", over: stack.retrying(.standard))
        let third = try APIClient("https://example.com/v2", over: Stack(over: first.transport))
        try await second.get("a")
        try await first.get("a")
        try await third.get("a")
        #expect(transport.requests.map { $0.fields[.authorization] } == [nil, "Bearer token", "Bearer token"])
        #expect(transport.requests.map { $0.fields["Signature"] != nil } == [false, true, true])
    }

    @Test func `5: credentials for the base URL of a bare layer are those of the client over it`() async throws {
        let transport = ScriptedTransport([], then: .status(.unauthorized))
        let bare = transport.authorizing(with: try BearerAuthorizer(token: "a"), at: .baseURL)
        let client = try APIClient("https://example.com", over: bare)
        await #expect(throws: ServerError<JSONValue>.self) { try await client.get("a") }
        let covered = transport.authorizing(with: try BearerAuthorizer(token: "b"), at: .baseURL).redirecting()
        let other = try APIClient("https://example.com", over: covered)
        let error = await #expect(throws: ServerError<JSONValue>.self) { try await other.get("a") }
        #expect(Set(transport.requests.map { $0.fields[.authorization] }) == ["Bearer a", nil])
        #expect(error?.message.contains("the base URL of a client made over the `Stack` itself") == true)
    }

    @Test func `5: authorizing again for the same origins replaces the authorizer`() async throws {
        let transport = ScriptedTransport([], then: .text("ok"))
        let stack = Stack(over: transport).authorizing(with: try BearerAuthorizer(token: "a"), at: .baseURL)
            .authorizing(with: try BearerAuthorizer(token: "b"), at: .baseURL)
        try await APIClient("https://example.com", over: stack).get("a")
        let password = stack.authorizing(with: .password(user: "ann", password: "x"), at: .baseURL)
        try await APIClient("https://example.com", over: password).get("a")
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer b", nil])
        #expect("\(password)".hasPrefix("authorizingEachURL > "))
    }

    /// A credential in a field whose name does not tell that it is secret.
    private struct Ticket: Authorizer {
        func scope(of request: HTTPRequest) -> String? { "ticket" }
        func authorize(_ request: inout HTTPRequest, with ticket: String) { request.fields["X-Ticket"] = ticket }
        func obtain(_ need: CredentialNeed<String, String>) -> IssuedCredential<String> { IssuedCredential("t1") }
    }

    @Test func `a redirect to another origin loses the field of a credential, of any name`() async throws {
        let transport = ScriptedTransport { request in
            let targets = ["/a": "https://example.com/b", "/b": "https://other.example/c"]
            guard let target = targets[request.url.path] else { return request.response() }
            return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": target]))
        }
        let stack = Stack(over: transport).redirecting().authorizing(with: Ticket(), at: .baseURL)
        try await APIClient("https://example.com", over: stack).get("a")
        #expect(transport.requests.map { $0.fields["X-Ticket"] } == ["t1", "t1", nil])
    }

    /// A credential that names the URL of its request.
    private struct URLBound: Authorizer {
        var authorizesEachURL: Bool { true }
        func scope(of request: HTTPRequest) -> String? { "url" }
        func authorize(_ request: inout HTTPRequest, with key: String) {
            request.fields["X-Proof"] = "\(key) \(request.url.path)"
        }
        func obtain(_ need: CredentialNeed<String, String>) -> IssuedCredential<String> { IssuedCredential("k") }
    }

    @Test func `a redirect gets a credential of its own, if one holds for a URL only`() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.path == "/a" else { return request.response() }
            return request.response(
                .temporaryRedirect, fields: try HTTPFields(["Location": "https://example.com/b"]))
        }
        let stack = Stack(over: transport).redirecting().authorizing(with: URLBound(), at: .baseURL)
        try await APIClient("https://example.com", over: stack).get("a")
        #expect(transport.requests.map { $0.fields["X-Proof"] } == ["k /a", "k /b"])
    }

    @Test func `16: a 401 to a request with a credential has no note about a missing one`() async throws {
        let transport = ScriptedTransport([], then: .status(.unauthorized))
        let stack = Stack(over: transport).authorizing(with: try BearerAuthorizer(token: "a"), at: .baseURL)
            .authorizing(with: try BearerAuthorizer(token: "b"), at: try AllowedOrigins("https://files.example"))
        let client = try APIClient("https://example.com", over: stack)
        let error = await #expect(throws: ServerError<JSONValue>.self) { try await client.get("a") }
        #expect(error?.message == "401 Unauthorized")
    }

    @Test func `5: requests that a layer of the app makes different are not shared`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport([], then: .after(gate, .text("ok")))
        let count = Watched(0)
        let stack = Stack(over: transport).coalescing().modifyingRequests { $0.fields["X-Tenant"] = "\(next(count))" }
        let client = try APIClient("https://example.com", over: stack)
        async let first = client.get("a")
        async let second = client.get("a")
        try await transport.requests(count: 2)
        gate.open()
        _ = try await (first, second)
    }

    @Test func `13: layers of the app run for each call or for each attempt`() async throws {
        let transport = ScriptedTransport([.status(.serviceUnavailable)], then: .text("done"))
        let clock = ManualClock()
        let (calls, attempts, statuses) = (Watched(0), Watched(0), Watched<[Int]>([]))
        let stack = Stack.standard(over: transport, clock: clock)
            .modifyingRequests { request in
                request.fields["X-Call"] = "\(next(calls))"
            }
            .modifyingRequests(.eachAttempt) { request in
                request.fields["X-Attempt"] = "\(next(attempts))"
            }
            .onResponse(.eachAttempt) { head, _ in statuses.update { $0.append(head.status.code) } }
        _ = try await clock.autoAdvancing { try await APIClient("https://example.com", over: stack).get("a") }
        #expect(transport.requests.map { $0.fields["X-Call"] } == ["1", "1"])
        #expect(transport.requests.map { $0.fields["X-Attempt"] } == ["1", "2"] && statuses.value == [503, 200])
    }

    @Test func `13: of layers with one scope a later one is outside, and each is printed`() async throws {
        let seen = Watched<[String?]>([])
        let stack = Stack(over: ScriptedTransport([], then: .text("done")))
        func watched(_ stack: Stack) -> Stack {
            stack.onResponse(.eachAttempt) { _, request in seen.update { $0.append(request.fields["X-ID"]) } }
        }
        func marked(_ stack: Stack) -> Stack { stack.modifyingRequests(.eachAttempt) { $0.fields["X-ID"] = "1" } }
        for stack in [marked(watched(stack)), watched(marked(stack))] {
            _ = try await APIClient("https://example.com", over: stack).get("a")
        }
        #expect(seen.value == ["1", nil])
        let text = "modifyingRequests(eachAttempt) > onResponse(eachAttempt) > ScriptedTransport"
        #expect("\(marked(watched(stack)))" == text)
        let layer = stack.layer(.eachCall) { $0.limitingBandwidth(.unlimited) }
        #expect("\(layer)" == "BandwidthLimiting(eachCall) > ScriptedTransport")
    }

    @Test func `13: closures may fail a call`() async throws {
        struct Refused: Error {}
        let transport = ScriptedTransport([], then: .text("done"))
        let client = try APIClient("https://example.com", over: transport.modifyingRequests { _ in throw Refused() })
        await #expect(throws: Refused.self) { try await client.get("a") }
        #expect(transport.requests.isEmpty)
        let after = try APIClient("https://example.com", over: transport.onResponse { _, _ in throw Refused() })
        await #expect(throws: Refused.self) { _ = try await after.stream(.get("a")) }
    }

    @Test func `4: a key makes writes safe to retry`() async throws {
        let transport = ScriptedTransport([.status(.serviceUnavailable)], then: .text("done"))
        let clock = ManualClock()
        let stack = Stack.standard(over: transport, clock: clock).retrying { "key" }
        _ = try await clock.autoAdvancing { try await APIClient("https://example.com", over: stack).post("orders") }
        #expect(transport.requests.map { $0.fields[.idempotencyKey] } == ["key", "key"])
    }

    @Test func `4: the target of a redirect gets the key too, whose request may be repeated`() async throws {
        let moved = try HTTPFields(["Location": "https://other.example/orders"])
        let (home, target) = (Watched(0), Watched(0))
        let transport = ScriptedTransport { request in
            guard request.url.host() == "other.example" else {
                _ = next(home)
                return request.response(.temporaryRedirect, fields: moved)
            }
            return request.response(next(target) == 1 ? .serviceUnavailable : .ok)
        }
        let clock = ManualClock()
        let stack = Stack.standard(over: transport, clock: clock).retrying { "key" }
        let client = try APIClient("https://example.com", over: stack)
        _ = try await clock.autoAdvancing { try await client.post("orders") }
        #expect(home.value == 2 && target.value == 2)
        #expect(transport.requests.map { $0.fields[.idempotencyKey] } == ["key", "key", "key", "key"])
    }

    @Test func `5: the clock of a stack measures a request that is sent again uncompressed`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport([
            .response(fields: try HTTPFields(["Accept-Encoding": "gzip"])),
            .after(.seconds(4), on: clock, .status(.unsupportedMediaType)), .status(.ok),
        ])
        let stack = Stack(over: transport, clock: clock).compressingRequests(AcceptedCodings(preferring: [.gzip]))
        let client = try APIClient("https://example.com", over: stack)
        let body = EndpointBody.text(String(repeating: "a", count: 10_000))
        try await client.post("a", body: body, timeout: .seconds(10))
        try await clock.autoAdvancing { _ = try await client.post("a", body: body, timeout: .seconds(10)) }
        #expect(transport.requests.map(\.options.timeouts.total) == [.seconds(10), .seconds(10), .seconds(6)])
    }
}

/// Counts.
private func next(_ count: Watched<Int>) -> Int {
    count.update { value in
        value += 1
        return value
    }
}
