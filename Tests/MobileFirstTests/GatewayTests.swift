import Delegation
import Dispatch
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct GatewayTests {
    /// Logs in by the form of the emulated gateway, and records its calls.
    private final class Handler: GatewayChallengeHandler {
        let log = Watched<[String]>([])
        let password: String
        let milliseconds: Int32

        init(_ password: String = "open sesame", milliseconds: Int32 = -1) {
            self.password = password
            self.milliseconds = milliseconds
            super.init(gatewayName: "form")
        }

        override func canHandleResponse(_ response: WLResponse!) -> Bool {
            response.responseText.contains("j_username")
        }

        override func handleChallenge(_ challenge: WLResponse!) {
            log.update { $0.append("challenge \(challenge.status)") }
            submitLoginForm(
                "gateway/login", requestParameters: ["j_username": "ann", "j_password": password],
                requestHeaders: ["X-Form": "1"], requestTimeoutInMilliSeconds: milliseconds, requestMethod: nil)
        }

        override func onSuccess(_ response: WLResponse!) {
            log.update { $0.append("success \(response.status)") }
            submitSuccess(response)
        }

        override func onFailure(_ response: WLFailResponse!) {
            log.update { $0.append("failure \(response.status)") }
            cancel()
        }
    }

    private func fixture(_ status: HTTPStatus = .unauthorized) -> Fixture {
        Fixture(service: { $0.gateway = MobileFirstService.Gateway(users: ["ann": "open sesame"], status: status) })
    }

    @Test(arguments: [HTTPStatus.ok, .found, .unauthorized, .forbidden, .notFound])
    func `M29: a login page of any status is offered, and submitSuccess sends the request again`(status: HTTPStatus)
        async throws
    {
        let fixture = fixture(status)
        let handler = fixture.register(Handler())
        let response = try await fixture.request("/adapters/Public/echo?a=1").send()
        #expect(response.member("queryString") == "a=1")
        #expect(handler.log.value == ["challenge \(status.code)", "success 200"])
        let form = try #require(fixture.requests("gateway/login").first)
        #expect(form.url.absoluteString == "\(Fixture.server)/gateway/login" && form.method == .post)
        #expect(form.fields["X-Form"] == "1" && form.options.timeouts.total == .seconds(10))
        #expect(fixture.requests("Public/echo").count == 2)
    }

    @Test func `M29: a failed login form is reported, and cancel fails the call`() async throws {
        let fixture = fixture()
        let handler = fixture.register(Handler("wrong", milliseconds: 2500))
        let request = fixture.request("/adapters/Public/echo")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .challengeCancelled && handler.log.value == ["challenge 401", "failure 403"])
        #expect(fixture.requests("gateway/login").first?.options.timeouts.total == .milliseconds(2500))
    }

    @Test func `M29: without a handler that claims it, the page is the failure`() async throws {
        let fixture = fixture(.forbidden)
        fixture.register(GatewayChallengeHandler(gatewayName: "other"))
        let request = fixture.request("/adapters/Public/echo")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 403 && error?.response?.responseText.contains("j_username") == true)
    }

    @Test func `M29: parallel requests share one login`() async throws {
        let fixture = fixture()
        let handler = fixture.register(Handler())
        let ledger = CompletionLedger<Int>()
        for number in 0..<8 {
            let call = ledger.call("\(number)")
            fixture.request("/adapters/Public/text").send { response, _ in call.succeed(response?.status ?? 0) }
        }
        let codes = try await ledger.waitForAll().map { if case .success(let code) = $0 { code } else { 0 } }
        #expect(Set(codes) == [200] && handler.log.value == ["challenge 401", "success 200"])
        try ledger.check()
    }

    @Test func `M29: a page that arrives after the login is no new challenge`() async throws {
        var configuration = MobileFirstService.Configuration()
        configuration.gateway = MobileFirstService.Gateway()
        let backend = TestTransport.service(MobileFirstService(configuration))
        let gate = Gate()
        let transport = ScriptedTransport { request in
            let response = try await backend.send(request)
            if request.url.path().hasSuffix("/echo"), response.status == .unauthorized { try await gate.wait() }
            return response
        }
        let client = WLClient.scripted(transport)
        let handler = Handler()
        client.registerChallengeHandler(handler)
        let late = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Public/echo").send() }
        }
        try await gate.waitForWaiters(1)
        try await client.request("/adapters/Public/text").send()
        gate.open()
        #expect(await late.value == nil && handler.log.value == ["challenge 401", "success 200"])
    }

    /// The client behind a gateway that is in front of one endpoint.
    private func fixture(_ status: HTTPStatus, before endpoint: MobileFirstService.Endpoint) -> Fixture {
        Fixture(service: { $0.gateway = MobileFirstService.Gateway(status: status, endpoints: [endpoint]) })
    }

    @Test(arguments: [.registration, .preauthorization, .authorization, .token] as [MobileFirstService.Endpoint])
    func `M29: a gateway in front of an authorization endpoint gets its login`(endpoint: MobileFirstService.Endpoint)
        async throws
    {
        let fixture = fixture(.ok, before: endpoint)
        let handler = fixture.register(Handler())
        #expect(try await fixture.request("/adapters/Secure/echo").send().status == 200)
        #expect(handler.log.value == ["challenge 200", "success 200"])
    }

    /// Leaves the login to the test.
    private final class Waiting: GatewayChallengeHandler {
        let log = Watched<[Int]>([])
        override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
        override func handleChallenge(_ challenge: WLResponse!) { log.update { $0.append(challenge.status) } }
    }

    @Test func `M23, M29: a logout ends the dialog of a gateway in front of an authorization endpoint`() async throws {
        let fixture = fixture(.unauthorized, before: .preauthorization)
        let handler = fixture.register(Waiting(gatewayName: "waiting"))
        let client = fixture.client
        let call = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Secure/echo").send() }
        }
        _ = try await handler.log.wait { $0 == [401] }
        try await client.authorizationManager.logout("PinCode")
        #expect(await call.value?.code == .cancelled && fixture.service.counts.logouts == 1)
    }

    @Test func `M29: a call that waits for a gateway can be cancelled`() async throws {
        let fixture = fixture()
        let handler = fixture.register(Waiting(gatewayName: "waiting"))
        let once = ExactlyOnce<String>()
        let call = fixture.request("/adapters/Public/text").send { _, error in
            once.succeed((error as? WLError).map { "\($0.code)" } ?? "done")
        }
        _ = try await handler.log.wait { $0 == [401] }
        call.cancel()
        let code = try await once.value
        #expect(code == "cancelled")
        // The challenge has ended with its only call.
        handler.submitSuccess(nil)
        #expect(fixture.requests("Public/text").count == 1)
        try once.check()
    }

    @Test func `M29: a call can be cancelled while the handlers are asked on a blocked queue`() async throws {
        final class Stalling: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            let mayEnd = DispatchSemaphore(value: 0)
            override func canHandleResponse(_ response: WLResponse!) -> Bool {
                log.update { $0.append("asked") }
                // Not for ever, so that a call that waits for this fails the test and does not hang it.
                _ = mayEnd.waitUnlessHung()
                log.update { $0.append("answered") }
                return false
            }
        }
        let fixture = fixture()
        fixture.client.delivery = .queue(DispatchQueue(label: "blocked"))
        let handler = fixture.register(Stalling(gatewayName: "stalling"))
        let client = fixture.client
        let call = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Public/text").send() }
        }
        _ = try await handler.log.wait { $0 == ["asked"] }
        call.cancel()
        #expect(await call.value?.code == .cancelled)
        #expect(handler.log.value == ["asked"])
        handler.mayEnd.signal()
        _ = try await handler.log.wait { $0 == ["asked", "answered"] }
    }

    @Test(arguments: [64 << 20, 1000])
    func `M8, M29: a long error page of a stream is the failure, with its status`(maximum: Int) async throws {
        let transport = ScriptedTransport([], then: .response(.notFound, body: Data(count: 2 << 20)))
        let client = WLClient.scripted(transport) { $0.maximumResponseBytes = maximum }
        client.registerChallengeHandler(GatewayChallengeHandler(gatewayName: "other"))
        let request = client.request("/adapters/Public/text")
        let streamed = await failure { () throws(WLError) in try await request.stream() }
        #expect(streamed?.code == .status && streamed?.response?.status == 404)
        let sent = await failure { () throws(WLError) in try await request.send() }
        #expect(sent?.code == .status && sent?.response?.status == 404)
        guard maximum > 2 << 20 else { return }
        let folder = try TemporaryFolder()
        let loaded = await failure { () throws(WLError) in
            try await request.download(to: folder.url.appending(path: "target"))
        }
        #expect(loaded?.code == .status && loaded?.response?.status == 404)
    }

    @Test func `M29: responses of MobileFirst itself are not offered`() async throws {
        final class Greedy: GatewayChallengeHandler {
            let offered = Watched<[String]>([])
            override func canHandleResponse(_ response: WLResponse!) -> Bool {
                let name = response.httpResponse?.url.lastPathComponent ?? ""
                offered.update { $0.append("\(name) \(response.status)") }
                return false
            }
        }
        let fixture = Fixture()
        let handler = fixture.register(Greedy(gatewayName: "greedy"))
        fixture.pins("1234")
        try await fixture.request("/adapters/Bank/balance").send()
        // An unknown registration, a new one, and what the others respond with.
        fixture.service.forgetClients()
        try await fixture.client.authorizationManager.login("PinCode", withCredentials: ["pin": "1234"])
        try await fixture.client.authorizationManager.logout("PinCode")
        #expect(handler.offered.value == ["balance 200"])
        let request = fixture.request("/adapters/Public/status/404")
        _ = await failure { () throws(WLError) in try await request.send() }
        #expect(handler.offered.value == ["balance 200", "404 404"])
    }

    @Test func `M29: a JSON challenge at the token endpoint is offered, a token as plain text is not`() async throws {
        final class Asking: GatewayChallengeHandler {
            let offered = Watched<[String]>([])
            override func canHandleResponse(_ response: WLResponse!) -> Bool {
                offered.update { $0.append(response.responseText) }
                return response.responseText.contains("required")
            }
            override func handleChallenge(_ challenge: WLResponse!) { submitSuccess(challenge) }
        }
        let (backend, isLoggedIn) = (TestTransport.service(MobileFirstService()), Watched(false))
        let transport = ScriptedTransport { request in
            guard request.url.path().hasSuffix("/token") else { return try await backend.send(request) }
            guard isLoggedIn.value else {
                isLoggedIn.update { $0 = true }
                return request.response(json: ["login": "required"])
            }
            var response = try await backend.send(request)
            response.head.fields[.contentType] = "text/plain"
            return response
        }
        let client = WLClient.scripted(transport)
        let handler: Asking = Asking(gatewayName: "json")
        client.registerChallengeHandler(handler)
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(handler.offered.value == [#"{"login":"required"}"#])
    }

    @Test func `M29: a stream passes a gateway too`() async throws {
        let fixture = fixture()
        fixture.register(Handler())
        let response = try await fixture.request("/adapters/Public/text").stream()
        try await #expect(response.collect().body == Data("Grüße".utf8))
    }
}
