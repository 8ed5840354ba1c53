import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

@Suite(.needsSlot) struct AuthorizingTests {
    private let server = TokenGuard(accepting: ["token-1"])
    private let origins: AllowedOrigins

    init() throws { origins = try AllowedOrigins("https://api.example.com") }

    private final class Counter: OpenCall.Counter {
        let ended = Watched(0)
        func callEnded() { ended.update { $0 += 1 } }
    }

    @Test(arguments: [false, true]) func `a call is open from its first attempt to its last`(isStreamed: Bool)
        async throws
    {
        server.accept(["token-2"])
        let (counter, entries) = (Counter(), Watched<[String]>([]))
        let transport = FakeTransport { [server] request in
            #expect(counter.ended.value == 0)
            let entry = request.options.call?.enter(counter)
            entries.update { $0.append(entry.map { "\($0)" } ?? "none") }
            return try await server.transport.send(request)
        }.authorizing(with: NumberedTokens(), at: origins)
        let request = try request()
        let head = try await isStreamed ? transport.stream(request).head : transport.send(request).head
        #expect(head.status == .ok && entries.value == ["first", "further"] && counter.ended.value == 1)
    }

    @Test func `the first call obtains a credential and later ones use it`() async throws {
        let tokens = NumberedTokens()
        let transport = server.transport.authorizing(with: tokens, at: origins)
        for _ in 0..<3 { #expect(try await transport.send(request()).status == .ok) }
        #expect(tokens.refreshes.count == 1)
        #expect(server.authorizations == Array(repeating: "Bearer token-1", count: 3))
    }

    @Test func `a call in flight at a sign-out is not sent again with the credential of the next user`() async throws {
        let gate = Gate()
        let base = FakeTransport { request in
            try await gate.wait()
            return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Bearer"]))
        }
        let credentials = CredentialCache(NumberedTokens())
        let transport = base.authorizing(with: credentials, at: origins)
        let calls = [
            Task { try await transport.send(request()).status }, Task { try await transport.stream(request()).status },
        ]
        try await gate.waitForWaiters(2)
        credentials.removeAll()
        gate.open()
        for call in calls { #expect(try await call.value == .unauthorized) }
        #expect(credentials.authorizer.refreshes.count == 1)
        // A later call is one of the next user.
        #expect(try await transport.send(request()).status == .unauthorized)
        #expect(credentials.authorizer.refreshes.count == 3)
    }

    @Test func `a thousand first calls obtain one credential per scope`() async throws {
        let gate = Gate()
        let tokens = NumberedTokens(gate: gate)
        let transport = server.transport.authorizing(with: tokens, at: origins)
        server.accept(["token-1", "token-2"])
        let ledger = CompletionLedger<HTTPResponse>()
        let calls = try (0..<1000).map { number in
            let call = ledger.call("call \(number)")
            let request = try request(scope: number.isMultiple(of: 2) ? "even" : "odd")
            return Task { await call.run { try await transport.send(request) } }
        }
        try await eventually("the calls wait") { transport.credentials.waiterCount == 1000 }
        try await gate.waitForWaiters(2)
        #expect(tokens.refreshes.count == 2)
        gate.open()
        for call in calls { await call.value }
        try ledger.check()
        for outcome in try await ledger.waitForAll() {
            guard case .success(let response) = outcome else { return #expect(Bool(false)) }
            #expect(response.status == .ok)
        }
        #expect(tokens.refreshes.count == 2 && server.authorizations.count == 1000)
    }

    @Test func `a storm of rejections causes one refresh and one replay each`() async throws {
        let gate = Gate(isOpen: true)
        let tokens = NumberedTokens(gate: gate)
        let transport = server.transport.authorizing(with: tokens, at: origins)
        _ = try await transport.send(request())
        server.accept(["token-2"])
        gate.close()
        let calls = (0..<200).map { _ in Task { try await transport.send(request()) } }
        try await eventually("the calls wait") { transport.credentials.waiterCount == 200 }
        gate.open()
        for call in calls { #expect(try await call.value.status == .ok) }
        #expect(tokens.refreshes.count == 2)
        #expect(tokens.refreshes[1].previous == "token-1" && tokens.refreshes[1].challenge?.status == .unauthorized)
    }

    @Test func `all waiting calls get the error of a refresh once`() async throws {
        let gate = Gate()
        let tokens = NumberedTokens(gate: gate, failure: RefreshFailed())
        let transport = server.transport.authorizing(with: tokens, at: origins)
        let ledger = CompletionLedger<HTTPResponse>()
        let request = try request()
        let calls = (0..<50).map { number in
            let call = ledger.call("call \(number)")
            return Task { await call.run { try await transport.send(request) } }
        }
        try await eventually("the calls wait") { transport.credentials.waiterCount == 50 }
        gate.open()
        for call in calls { await call.value }
        try ledger.check()
        for outcome in try await ledger.waitForAll() {
            guard case .failure(let error) = outcome else { return #expect(Bool(false)) }
            #expect(error is RefreshFailed)
        }
        #expect(tokens.refreshes.count == 1 && transport.credentials.waiterCount == 0)
        tokens.fail(nil)
        server.accept(["token-2"])
        #expect(try await transport.send(request).status == .ok)
    }

    @Test func `cancelling a call ends its wait and not the refresh`() async throws {
        let gate = Gate()
        let tokens = NumberedTokens(gate: gate)
        let transport = server.transport.authorizing(with: tokens, at: origins)
        let first = Task { try await transport.send(request()) }
        let second = Task { try await transport.send(request()) }
        try await eventually("the calls wait") { transport.credentials.waiterCount == 2 }
        first.cancel()
        let error = await #expect(throws: TransportError.self) { try await first.value }
        #expect(error?.code == .cancelled && error?.request != nil)
        gate.open()
        #expect(try await second.value.status == .ok)
        #expect(tokens.refreshes.count == 1)
    }

    @Test func `a refresh completes when its only call is cancelled`() async throws {
        let gate = Gate()
        let tokens = NumberedTokens(gate: gate)
        let transport = server.transport.authorizing(with: tokens, at: origins)
        let call = Task { try await transport.send(request()) }
        try await gate.waitForWaiters(1)
        call.cancel()
        await #expect(throws: TransportError.self) { try await call.value }
        gate.open()
        try await eventually("the credential is cached") {
            transport.credentials.cachedCredential(for: .empty) == "token-1"
        }
        #expect(try await transport.send(request()).status == .ok && tokens.refreshes.count == 1)
    }

    @Test func `the total timeout ends the wait of one call`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let transport = server.transport.authorizing(with: NumberedTokens(gate: gate), at: origins, clock: clock)
        let patient = Task { try await transport.send(request()) }
        let hurried = Task { try await transport.send(request(total: .seconds(5))) }
        try await clock.waitForSleepers(1)
        try await eventually("the calls wait") { transport.credentials.waiterCount == 2 }
        await clock.advance(by: .seconds(5))
        let error = await #expect(throws: TransportError.self) { try await hurried.value }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(5))
        #expect(error?.message.contains("within 5.0 s; raise `timeouts.total`,") == true)
        gate.open()
        #expect(try await patient.value.status == .ok)
    }

    @Test func `the total timeout spans the wait and all attempts`() async throws {
        let clock = ManualClock()
        let totals = Mutex<[Duration?]>([])
        let base = FakeTransport { request in
            totals.withLock { $0.append(request.options.timeouts.total) }
            await clock.advance(by: .seconds(2))
            return request.response(.unauthorized, text: "no")
        }
        let transport = base.authorizing(with: NumberedTokens(), at: origins, clock: clock)
        _ = try await transport.send(request(total: .seconds(10)))
        #expect(totals.withLock { $0 } == [.seconds(10), .seconds(8)])
    }

    @Test func `a body that cannot be sent again returns the challenge, and the next call refreshes`() async throws {
        let tokens = NumberedTokens()
        let transport = server.transport.authorizing(with: tokens, at: origins)
        server.accept(["token-2"])
        let stream = AsyncStream<Data> { $0.finish() }
        let response = try await transport.send(request(.post, body: .stream(stream)))
        #expect(response.status == .unauthorized && response.body == Data("no".utf8))
        #expect(tokens.refreshes.count == 1)
        #expect(try await transport.send(request(.post, body: .text("[]"))).status == .ok)
        #expect(tokens.refreshes.count == 2 && server.authorizations == ["Bearer token-1", "Bearer token-2"])
    }

    @Test(arguments: [0, 1, 3]) func `a call is sent again up to the authorizer's maximum`(replays: Int) async throws {
        server.accept([])
        let transport = server.transport.authorizing(
            with: NumberedTokens(replays: replays), at: origins, policy: RefreshPolicy(maximumFailures: 100))
        #expect(try await transport.send(request()).status == .unauthorized)
        #expect(server.authorizations == (1...(replays + 1)).map { "Bearer token-\($0)" })
    }

    @Test func `a server that rejects every credential stops refreshes for a window`() async throws {
        let clock = ManualClock()
        let tokens = NumberedTokens()
        let transport = server.transport.authorizing(with: tokens, at: origins, clock: clock)
        server.accept([])
        for _ in 0..<2 { #expect(try await transport.send(request()).status == .unauthorized) }
        let error = await #expect(throws: AuthenticationError.self) { try await transport.send(request()) }
        #expect(error?.code == .tooManyRefreshes && error?.retryAfter == .seconds(30))
        // Nor is a stream sent without one.
        let stream = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        await #expect(throws: AuthenticationError.self) { try await transport.send(request(.post, body: stream)) }
        #expect(tokens.refreshes.count == 3)
        await clock.advance(by: .seconds(30))
        server.accept(["token-4"])
        #expect(try await transport.send(request()).status == .ok)
    }

    /// As of a layer between the authorizer and its server.
    private struct Refused: StatusCarrying { let responseStatus: HTTPStatus? }

    @Test(arguments: [TransportError(.unreachable, "No network."), Refused(responseStatus: nil)] as [any Error])
    func `refreshes without a response do not count, so calls succeed as soon as there is one`(
        error: any Error
    ) async throws {
        let tokens = NumberedTokens(failure: error)
        let transport = server.transport.authorizing(with: tokens, at: origins, clock: ManualClock())
        for _ in 0..<5 {
            let thrown = await #expect(throws: (any Error).self) { try await transport.send(request()) }
            #expect(!(thrown is AuthenticationError))
        }
        tokens.fail(nil)
        server.accept(["token-6"])
        #expect(try await transport.send(request()).status == .ok)
    }

    @Test func `an error of the authorizer has no head, which would be taken for that of the call`() async throws {
        let login = try head(.ok, url: "https://login.example.com/")
        let tokens = NumberedTokens(failure: TransportError(.responseTooLarge, "Too long.", head: login))
        let transport = server.transport.authorizing(with: tokens, at: origins)
        let error = await #expect(throws: TransportError.self) { try await transport.send(request()) }
        #expect(error?.code == .responseTooLarge && error?.head == nil)
        #expect(error?.failingURL == "https://login.example.com/" && server.authorizations.isEmpty)
    }

    @Test func `a challenge with a body above the limit is still a challenge`() async throws {
        let base = FakeTransport { request in
            guard request.fields[.authorization] == "Bearer token-1" else { return request.response(text: "ok") }
            return request.response(.unauthorized, text: String(repeating: "x", count: 100))
        }
        let transport = base.authorizing(with: NumberedTokens(), at: origins)
        var limited = try request()
        limited.options.maximumResponseBytes = 10
        #expect(try await transport.send(limited).status == .ok)
    }

    @Test(arguments: ["https://other.example.com/", "http://api.example.com/", "https://api.example.com:444/"])
    func `other origins get no credential`(url: String) async throws {
        let tokens = NumberedTokens()
        let transport = server.transport.authorizing(with: tokens, at: origins)
        #expect(try await transport.send(request(.get, url)).status == .unauthorized)
        #expect(server.authorizations == [nil] && tokens.refreshes.isEmpty)
    }

    @Test func `a challenge of an origin that a redirect led to is returned`() async throws {
        let foreign = try URL(httpString: "https://other.example.com/")
        let tokens = NumberedTokens()
        let base = FakeTransport { _ in HTTPResponse(status: .unauthorized, url: foreign) }
        let transport = base.authorizing(with: tokens, at: origins)
        #expect(try await transport.send(request()).status == .unauthorized && tokens.refreshes.count == 1)
    }

    @Test func `a challenge after a redirect to another origin and back is returned`() async throws {
        let (first, other) = (try request().url, try URL(httpString: "https://other.example.com/"))
        let tokens = NumberedTokens()
        let base = FakeTransport { _ in
            var head = HTTPResponseHead(status: .unauthorized, url: first)
            head.redirects = [first, other].map { HTTPResponseHead(status: .found, url: $0) }
            return HTTPResponse(head: head)
        }
        let transport = base.authorizing(with: tokens, at: origins)
        for _ in 0..<3 { #expect(try await transport.send(request()).status == .unauthorized) }
        #expect(tokens.refreshes.count == 1)
    }

    @Test func `a challenge of another allowed origin that a redirect led to rejects no credential`() async throws {
        let other = try URL(httpString: "https://files.example.com/")
        let tokens = NumberedTokens()
        let base = FakeTransport { _ in HTTPResponse(status: .unauthorized, url: other) }
        let transport = base.authorizing(
            with: tokens, at: try AllowedOrigins("https://api.example.com", "https://files.example.com"))
        for _ in 0..<3 { #expect(try await transport.send(request()).status == .unauthorized) }
        #expect(tokens.refreshes.count == 1)
    }

    @Test func `a request that skips authorization is sent unchanged`() async throws {
        let transport = server.transport.authorizing(with: NumberedTokens(), at: origins)
        var request = try request()
        request.options.skipsAuthorization = true
        #expect(try await transport.send(request).status == .unauthorized)
        #expect(server.authorizations == [nil])
    }

    /// An authorizer whose token request goes through its own layer.
    private final class Recursive: Authorizer {
        let transport = Mutex<AnyTransport?>(nil)
        func scope(of request: HTTPRequest) -> OAuthScope? { .empty }
        func authorize(_ request: inout HTTPRequest, with token: String) throws {
            try request.fields.set(.authorization, to: "Bearer \(token)")
        }
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            let response = try await transport.withLock { $0 }?.send(try request(.get, "https://api.example.com/token"))
            #expect(response?.status == .unauthorized)
            return IssuedCredential("token-1")
        }
    }

    @Test func `a refresh through its own layer does not wait for itself`() async throws {
        let authorizer = Recursive()
        let transport = server.transport.authorizing(with: authorizer, at: origins)
        authorizer.transport.withLock { $0 = AnyTransport(transport) }
        #expect(try await transport.send(request()).status == .ok)
        #expect(server.authorizations == [nil, "Bearer token-1"])
        authorizer.transport.withLock { $0 = nil }
    }

    @Test func `a streamed response passes through, and a challenge is replaced`() async throws {
        server.accept(["token-2"])
        let tokens = NumberedTokens()
        let transport = server.transport.authorizing(with: tokens, at: origins)
        let response = try await transport.stream(request())
        #expect(response.status == .ok)
        #expect(try await response.body.collect(upTo: 100) == Data("items".utf8))
        #expect(tokens.refreshes.count == 2)
    }

    @Test func `an observer gets the events of both attempts`() async throws {
        server.accept(["token-2"])
        let recorder = EventRecorder()
        _ = try await server.transport.authorizing(with: NumberedTokens(), at: origins)
            .send(request(), observer: recorder)
        let statuses = recorder.events.compactMap { event -> HTTPStatus? in
            if case .head(let head) = event { head.status } else { nil }
        }
        #expect(statuses == [.unauthorized, .ok])
    }

    @Test func `a credential is obtained on threads of the package`() async throws {
        let names = Watched<[String]>([])
        let tokens = BearerAuthorizer {
            names.update { $0.append(threadName()) }
            return try OAuthToken("token-1")
        }
        let transport = server.transport.authorizing(with: tokens, at: origins)
        #expect(try await transport.send(request()).status == .ok)
        #expect(names.value == ["patchbay.calls"])
    }
}
