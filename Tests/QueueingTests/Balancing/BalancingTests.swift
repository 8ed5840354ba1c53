import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct BalancingTests {
    private let clock = ManualClock()

    /// A base that fails at some hosts.
    private func base(
        failing hosts: Set<String>,
        _ fail: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse = Self.failing(.connectionLost)
    ) -> ScriptedTransport {
        ScriptedTransport(
            [],
            then: ScriptedTransport.Step { request in
                guard hosts.contains(request.url.host() ?? "") else { return request.response(.ok) }
                return try fail(request)
            })
    }

    private static func failing(_ code: TransportError.Code) -> @Sendable (HTTPRequest) throws -> HTTPResponse {
        { throw TransportError(code, "m", request: $0) }
    }

    private func hosts(_ base: ScriptedTransport) -> [String] { base.requests.map { $0.url.absoluteString } }

    @Test func `a call moves on to the next host, with its own base`() async throws {
        let base = base(failing: ["a"])
        let list = try HostList("http://a/v1", "https://b:8443/api/")
        let transport = base.balancing(over: list, clock: clock)
        let response = try await transport.send(request(.get, "http://a/v1/items/7?x=%2F"))
        #expect(response.status == .ok && response.attempts.count == 1)
        #expect(hosts(base) == ["http://a/v1/items/7?x=%2F", "https://b:8443/api/items/7?x=%2F"])
        #expect(base.requests[1].options.attemptReason == .failover)
        // The first host rests now.
        _ = try await transport.send(request(.get, "https://b:8443/api/x"))
        _ = try await transport.send(request(.get, "http://a/v1/y"))
        #expect(hosts(base).dropFirst(2) == ["https://b:8443/api/x", "https://b:8443/api/y"])
        await clock.advance(by: .seconds(1))
        await #expect(throws: Never.self) { try await transport.send(request(.get, "http://a/v1/z")) }
        #expect(hosts(base).dropFirst(4) == ["http://a/v1/z", "https://b:8443/api/z"])
    }

    @Test(arguments: [
        RequestOptions { $0.unixSocketPath = "/run/a.sock" }, RequestOptions { $0.nameOverrides = ["a": "192.0.2.1"] },
    ])
    func `a request that is not sent to its host goes to no other one, and does not count`(
        options: RequestOptions
    ) async throws {
        let base = base(failing: ["a"])
        let transport = try base.balancing(over: HostList("http://a/v1", "http://b"), clock: clock)
        let message = try HTTPRequest(.get, "http://a/v1/x", options: options)
        for _ in 0..<3 { _ = try? await transport.send(message) }
        #expect(hosts(base) == ["http://a/v1/x", "http://a/v1/x", "http://a/v1/x"])
        _ = try await transport.send(request(.get, "http://a/v1/x"))
        #expect(hosts(base).dropFirst(3) == ["http://a/v1/x", "http://b/x"])
    }

    @Test func `a call does not move to a host whose name it overrides`() async throws {
        let base = base(failing: ["a"])
        let transport = try base.balancing(over: HostList("http://a", "http://b", "http://c"), clock: clock)
        var message = try request(.get, "http://a/x")
        message.options.nameOverrides = ["b": "192.0.2.1"]
        _ = try await transport.send(message)
        #expect(hosts(base) == ["http://a/x", "http://c/x"])
    }

    @Test(arguments: [HTTPStatus.badGateway, .serviceUnavailable, .gatewayTimeout, .internalServerError])
    func `responses of gateways move a call on, others do not`(status: HTTPStatus) async throws {
        let base = base(failing: ["a"]) { $0.response(status) }
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let response = try await transport.send(request(.get, "http://a/"))
        #expect(response.status == (status == .internalServerError ? status : .ok))
    }

    @Test func `a response that a layer below has made is delivered, and its host does not rest`() async throws {
        let base = base(failing: ["a"]) { $0.localResponse(.gatewayTimeout) }
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        for _ in 0..<2 { #expect(try await transport.send(request(.get, "http://a/")).status == .gatewayTimeout) }
        #expect(hosts(base) == ["http://a/", "http://a/"])
    }

    @Test(arguments: [HTTPStatus.badGateway, .serviceUnavailable, .gatewayTimeout])
    func `a failure that a layer below has stored moves a call on, and its host does not rest`(
        status: HTTPStatus
    ) async throws {
        let base = base(failing: ["a"]) { request in
            var response = request.response(status)
            response.head.isHit = true
            return response
        }
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        for _ in 0..<2 { #expect(try await transport.send(request(.get, "http://a/")).status == .ok) }
        #expect(hosts(base) == ["http://a/", "http://b/", "http://a/", "http://b/"])
    }

    @Test func `only what may be sent again moves on, and the host rests anyway`() async throws {
        let base = base(failing: ["a"])
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let error = await #expect(throws: TransportError.self) { try await transport.send(request(.post, "http://a/")) }
        #expect(error?.code == .connectionLost && hosts(base) == ["http://a/"])
        #expect(try await transport.send(request(.post, "http://a/")).status == .ok)
        #expect(hosts(base) == ["http://a/", "http://b/"])
    }

    @Test func `a POST that no server got, and one with a key, move on`() async throws {
        let cases: [(TransportError.Code, KeyValuePairs<String, String>)] = [
            (.connectionRefused, [:]), (.connectionLost, ["Idempotency-Key": "7"]),
        ]
        for (code, fields) in cases {
            let base = base(failing: ["a"], Self.failing(code))
            let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
            #expect(try await transport.send(request(.post, "http://a/", fields: fields)).status == .ok)
        }
        let base = base(failing: ["a"])
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let stream = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        await #expect(throws: TransportError.self) {
            try await transport.send(request(.put, "http://a/", body: stream))
        }
        #expect(hosts(base) == ["http://a/"])
    }

    @Test(arguments: [
        ("Authorization", "Bearer secret"), ("Cookie", "a=b"), ("Proxy-Authorization", "Basic eDp5"),
        ("X-Api-Key", "secret"), ("X-CSRFToken", "secret"),
    ])
    func `credentials stay at their origin unless the list shares them`(name: String, value: String) async throws {
        let base = base(failing: ["a"])
        var list = try HostList("http://a/1", "http://b", "http://a/2")
        var secret = try request(.get, "http://a/1/x")
        try secret.fields.set(name, to: value)
        let apart = base.balancing(over: list, clock: clock)
        let error = await #expect(throws: TransportError.self) { try await apart.send(secret) }
        #expect(error?.code == .connectionLost)
        #expect(hosts(base) == ["http://a/1/x", "http://a/2/x"])
        list.sharesCredentials = true
        #expect(try await base.balancing(over: list, clock: clock).send(secret).status == .ok)
        #expect(base.requests.last?.fields[name] == value && base.requests.last?.url.host() == "b")
    }

    @Test func `a secret among the trailers stays at its origin, as trailers without names, and others move on`()
        async throws
    {
        let base = base(failing: ["a"])
        let transport = base.balancing(over: try HostList("http://a/", "http://b"), clock: clock)
        for (name, host) in [("X-Api-Key", "a"), ("Digest", "b"), (nil, "a")] as [(String?, String)] {
            var request = try request(.put, "http://a/x")
            request.options.trailers = RequestTrailers(try name.map { try HTTPFields([$0: ""]) } ?? HTTPFields())
            _ = try? await transport.send(request)
            #expect(base.requests.last?.url.host() == host, "\(name ?? "none")")
            await clock.advance(by: .seconds(60))
        }
    }

    @Test func `the credential of a layer above stays at its origin, regardless of its name`() async throws {
        let base = base(failing: ["a"])
        let transport = base.balancing(over: try HostList("http://a/", "http://b"), clock: clock)
        var request = try request(.get, "http://a/x", fields: ["X-Badge": "secret"])
        request.options.credentialFields = [try HTTPFieldName("X-Badge")]
        _ = try? await transport.send(request)
        #expect(hosts(base) == ["http://a/x"])
    }

    @Test func `an open circuit rests its host, and nothing is sent there`() async throws {
        let base = base(failing: ["a"])
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(10)), openDuration: .seconds(30))
        var list = try HostList("http://a", "http://b")
        list.firstRest = .milliseconds(1)
        let transport = base.circuitBreaking(policy, clock: clock).balancing(over: list, clock: clock)
        #expect(try await transport.send(request(.get, "http://a/")).status == .ok)
        await clock.advance(by: .seconds(5))
        // The circuit refuses, also a POST moves on, and the host rests as long as the circuit is open.
        #expect(try await transport.send(request(.post, "http://a/")).status == .ok)
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(request(.post, "http://a/")).status == .ok)
        #expect(hosts(base) == ["http://a/", "http://b/", "http://b/", "http://b/"])
    }

    @Test func `if all hosts fail, the error has all attempts`() async throws {
        let base = base(failing: ["a", "b"])
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let error = await #expect(throws: TransportError.self) { try await transport.send(request(.get, "http://a/")) }
        #expect(error?.attempts.count == 2 && error?.request == "GET http://b/")
        // Both rest: the call is made anyway, once.
        await #expect(throws: TransportError.self) { try await transport.send(request(.get, "http://a/")) }
        #expect(base.requests.count == 3)
    }

    @Test func `a POST that no host got is retried by a layer outside, and not if one may have got it`() async throws {
        for (code, count) in [(TransportError.Code.connectionRefused, 4), (.connectionLost, 1)] {
            let base = base(failing: ["a", "b"], Self.failing(code))
            let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
                .retrying(clock: clock)
            let error = await #expect(throws: TransportError.self) {
                try await clock.autoAdvancing { try await transport.send(request(.post, "http://a/")) }
            }
            // After the first round both hosts rest, and each further attempt is at one of them.
            #expect(error?.code == code && base.requests.count == count)
        }
    }

    @Test func `a POST that a host got and redirected to the host of the request is not retried`() async throws {
        let base = base(failing: ["a", "b"]) { request in
            guard request.url.host() == "b" else {
                throw TransportError(.connectionRefused, "m", request: request)
            }
            return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "http://a/"]))
        }
        let transport = base.redirecting().balancing(over: try HostList("http://b", "http://a"), clock: clock)
            .retrying(clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(request(.post, "http://a/")) }
        }
        #expect(error?.code == .connectionRefused && hosts(base) == ["http://b/", "http://a/"])
    }

    @Test(arguments: [false, true], [false, true])
    func `a POST is not sent again after redirects to another host and back`(isBalanced: Bool, isRejected: Bool)
        async throws
    {
        let targets = ["http://c/", "http://a/"].map { target in
            ScriptedTransport.Step { request in
                request.response(.temporaryRedirect, fields: try HTTPFields(["Location": target]))
            }
        }
        let base = ScriptedTransport(
            targets,
            then: ScriptedTransport.Step { request in
                if isRejected { throw AdmissionError(.circuitOpen, "m", request: request) }
                throw TransportError(.connectionRefused, "m", request: request)
            })
        var list = try HostList("http://a", "http://b")
        list.sharesCredentials = true
        let balancing = base.redirecting().balancing(over: list, clock: clock)
        let transport = (isBalanced ? AnyTransport(balancing) : AnyTransport(base.redirecting())).retrying(clock: clock)
        // Without its credentials, the last request is no loop.
        let request = try request(.post, "http://a/", fields: ["Authorization": "Bearer secret"])
        await #expect(throws: (any Error).self) {
            try await clock.autoAdvancing { try await transport.send(request) }
        }
        #expect(hosts(base) == ["http://a/", "http://c/", "http://a/"])
    }

    @Test(arguments: [(4, [10, 6]), (10, [10])]) func `the total timeout spans all hosts`(
        seconds: Int, totals: [Int]
    ) async throws {
        let clock = clock
        let late = ScriptedTransport.Step { request in
            await clock.advance(by: .seconds(seconds))
            throw TransportError(.connectionLost, "m", request: request)
        }
        let base = ScriptedTransport([late], then: .status(.ok))
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        let status = try? await transport.send(request(.get, "http://a/", total: .seconds(10))).status
        #expect(status == (totals.count == 1 ? nil : .ok))
        #expect(base.requests.map(\.options.timeouts.total) == totals.map { .seconds($0) })
    }

    @Test func `requests elsewhere pass, and so do limits of attempts and streams`() async throws {
        let base = base(failing: ["a", "c"])
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        await #expect(throws: TransportError.self) { try await transport.send(request(.get, "http://c/")) }
        await #expect(throws: TransportError.self) {
            try await transport.send(request(.get, "http://a/", maximumAttempts: 1))
        }
        #expect(hosts(base) == ["http://c/", "http://a/"])
        await clock.advance(by: .seconds(1))
        #expect(try await transport.stream(request(.get, "http://a/")).status == .ok)
        #expect(hosts(base).suffix(2) == ["http://a/", "http://b/"])
    }

    @Test(arguments: [(3, ["a", "b"]), (1, ["a", "a"])])
    func `a limit of attempts is used up by several hosts, and at one by the layer below`(count: Int, tried: [String])
        async throws
    {
        let base = base(failing: ["a", "b", "c"])
        let list = try HostList(["http://a", "http://b", "http://c"].prefix(count))
        let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(5))
        let transport = Retrying(base: base, strategy: quick).balancing(over: list, clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(request(.get, "http://a/", maximumAttempts: 2))
        }
        #expect(hosts(base) == tried.map { "http://\($0)/" } && error?.attempts.count == 2)
        #expect(base.requests.allSatisfy { $0.options.maximumAttempts == 1 })
    }

    @Test func `a list needs a valid base URL`() throws {
        #expect(throws: HTTPMessageError.self) { try HostList([String]()) }
        #expect(throws: HTTPMessageError.self) { try HostList("ftp://a") }
        #expect(throws: HTTPMessageError.self) { try HostList("http://user@a") }
        #expect(try HostList("http://a/v1?x=1").urls.map(\.absoluteString) == ["http://a/v1/"])
    }

    @Test func `a secret in the URL is a credential, and no request goes from https to http`() async throws {
        let base = base(failing: ["a", "c"])
        var list = try HostList("http://a", "http://b")
        for query in ["?api_key=7", "?access_token=7", "?key1=7", "x;jsessionid=7", "Sessions('7')", "Connections(7)"] {
            let transport = base.balancing(over: list, clock: clock)
            await #expect(throws: TransportError.self) { try await transport.send(request(.get, "http://a/" + query)) }
        }
        #expect(base.requests.allSatisfy { $0.url.host() == "a" })
        list = try HostList("https://c", "http://b")
        for isShared in [false, true] {
            list.sharesCredentials = isShared
            let transport = base.balancing(over: list, clock: clock)
            await #expect(throws: TransportError.self) {
                try await transport.send(request(.get, "https://c/", fields: ["Authorization": "Bearer secret"]))
            }
            await #expect(throws: TransportError.self) { try await transport.send(request(.get, "https://c/")) }
        }
        #expect(base.requests.allSatisfy { $0.url.host() != "b" })
    }

    @Test(arguments: ["TrainingSessions(17)", "GetByKey(id=5)"])
    func `a number as the key of an entity is no credential`(path: String) async throws {
        let base = base(failing: ["a"])
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        #expect(try await transport.send(request(.get, "http://a/" + path)).status == .ok)
        #expect(hosts(base) == ["http://a/" + path, "http://b/" + path])
    }

    @Test(arguments: [nil, .connectionRefused, .timedOut] as [TransportError.Code?])
    func `a host does not rest because of another one, to which it redirects`(code: TransportError.Code?) async throws {
        let base = ScriptedTransport { request in
            guard request.url.host() == "cdn" else {
                return request.response(.found, fields: try HTTPFields(["Location": "http://cdn/"]))
            }
            guard let code else { return request.response(.serviceUnavailable) }
            throw TransportError(code, "m", request: request)
        }
        let transport = base.redirecting().balancing(over: try HostList("http://a", "http://b"), clock: clock)
        for _ in 0..<2 { _ = try? await transport.send(request(.get, "http://a/")) }
        #expect(hosts(base) == ["http://a/", "http://cdn/", "http://a/", "http://cdn/"])
    }

    @Test func `a host that redirects to another one works, and its failures are forgotten`() async throws {
        let redirect = ScriptedTransport.Step { request in
            request.response(.found, fields: try HTTPFields(["Location": "http://cdn/"]))
        }
        let base = ScriptedTransport(
            [
                .failure(.connectionLost), .status(.ok), redirect, .status(.serviceUnavailable),
                .failure(.connectionLost),
            ], then: .status(.ok))
        let transport = base.redirecting().balancing(over: try HostList("http://a", "http://b"), clock: clock)
        for _ in 0..<4 {
            _ = try await transport.send(request(.get, "http://a/"))
            await clock.advance(by: .seconds(1))
        }
        // The second failure is the first one in a row.
        #expect(hosts(base) == ["a", "b", "a", "cdn", "a", "b", "a"].map { "http://\($0)/" })
    }

    @Test func `a host does not rest because of a limit of the bandwidth`() async throws {
        let base = base(failing: ["a"]) { $0.response(body: Data(count: 1000)) }
        let transport = base.limitingBandwidth(.bytesPerSecond(download: 1000), clock: clock)
            .balancing(over: try HostList("http://a", "http://b"), clock: clock)
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) {
                try await clock.autoAdvancing {
                    try await transport.send(request(.get, "http://a/", total: .milliseconds(500)))
                }
            }
            #expect(error?.code == .timedOut)
        }
        #expect(hosts(base) == ["http://a/", "http://a/"])
    }

    @Test(arguments: [(Timeouts.Phase.total, "b"), (.response, "b"), (.queue, "a")])
    func `a host that times out rests, and not for the engine's own queue`(
        phase: Timeouts.Phase, next: String
    ) async throws {
        let base = base(failing: ["a"]) { throw TransportError.timedOut(phase, "m", request: $0) }
        let transport = base.balancing(over: try HostList("http://a", "http://b"), clock: clock)
        _ = try? await transport.send(request(.post, "http://a/"))
        _ = try? await transport.send(request(.post, "http://a/"))
        #expect(base.requests.map { $0.url.host() } == ["a", next])
    }
}

extension HTTPRequest {
    /// A response as a layer makes it that sends nothing, such as a cache.
    func localResponse(_ status: HTTPStatus) -> HTTPResponse {
        var response = response(status)
        response.head.isLocal = true
        return response
    }
}
