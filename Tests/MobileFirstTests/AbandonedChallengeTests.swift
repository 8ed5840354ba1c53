import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@testable import Authentication
@testable import MobileFirst

/// Challenges that no handler meets, and calls that handlers make before they meet theirs.
@Suite(.needsSlot) struct AbandonedChallengeTests {
    private let fixture = Fixture()

    private var manager: WLAuthorizationManager { fixture.client.authorizationManager }

    /// A started call for a path.
    private func start(_ path: String, of client: WLClient? = nil) -> (call: WLCall, result: ExactlyOnce<String>) {
        let once = ExactlyOnce<String>()
        let call = (client ?? fixture.client).request(path).send { response, error in
            once.succeed((error as? WLError).map { "\($0.code)" } ?? "\(response?.status ?? 0)")
        }
        return (call, once)
    }

    private func text(_ call: ExactlyOnce<String>) async throws -> String? {
        let outcome = try await call.outcome
        try call.check()
        if case .success(let text) = outcome { return text } else { return nil }
    }

    @Test func `M21: a challenge ends with the last call that waits for it, and other calls go on`() async throws {
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let first = start("/adapters/Bank/balance"), second = start("/adapters/Bank/balance")
        _ = try await handler.log.wait { $0 == ["challenge 3"] }
        try await eventually("both calls wait") { fixture.client.credentials.waiterCount == 2 }
        let other = start("/adapters/Secure/echo")
        first.call.cancel()
        #expect(try await text(first.result) == "cancelled")
        // The challenge is still that of the second call.
        #expect(fixture.client.authorization.begin(.login).refusal?.code == .alreadyInProgress)
        second.call.cancel()
        #expect(try await text(second.result) == "cancelled")
        #expect(try await text(other.result) == "200")
        let count = fixture.requests("preauthorize").count
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(handler.log.value == ["challenge 3"])
        // The next call challenges again.
        let third = start("/adapters/Bank/balance")
        _ = try await handler.log.wait { $0.count == 2 }
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(try await text(third.result) == "200")
        // One for its challenge, one for its PIN, and none for the PIN without a challenge.
        #expect(fixture.requests("preauthorize").count == count + 2)
    }

    @Test func `M21: no handler is called for a token that no call waits for`() async throws {
        let gate = Gate()
        let backend = TestTransport.service(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/preauthorize") { try await gate.wait() }
                return try await backend.send(request)
            })
        let handler = CheckHandler("PinCode", nil)
        client.registerChallengeHandler(handler)
        let call = start("/adapters/Bank/balance", of: client)
        try await gate.waitForWaiters(1)
        call.call.cancel()
        #expect(try await text(call.result) == "cancelled")
        gate.open()
        // It waits for the end of the cancelled one.
        #expect(try await text(start("/adapters/Secure/echo", of: client).result) == "200")
        #expect(handler.log.value.isEmpty)
    }

    @Test func `M21, M24: setServerUrl ends an open challenge, and calls to the new server go on`() async throws {
        let services = ["mfp.example.test": MobileFirstService(), "new.example.test": MobileFirstService()]
        let backends = services.mapValues { TestTransport.service($0) }
        let client = WLClient.scripted(
            ScriptedTransport { try await #require(backends[$0.url.host() ?? ""]).send($0) })
        let handler = CheckHandler("PinCode", nil)
        client.registerChallengeHandler(handler)
        let waiting = start("/adapters/Bank/balance", of: client)
        _ = try await handler.log.wait { $0 == ["challenge 3"] }
        client.setServerUrl(URL(string: "https://new.example.test/mfp"))
        #expect(try await text(waiting.result) == "cancelled")
        #expect(try await text(start("/adapters/Secure/echo", of: client).result) == "200")
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(services["mfp.example.test"]?.counts.tokenExchanges.isEmpty == true)
    }

    @Test func `M21, M24: a challenge that arrives after setServerUrl opens no dialog of the former server`()
        async throws
    {
        let backends = ["mfp.example.test", "new.example.test"].map {
            ($0, TestTransport.service(MobileFirstService()))
        }
        let servers = Dictionary(uniqueKeysWithValues: backends)
        let gate = Gate()
        let client = WLClient.scripted(
            ScriptedTransport { request in
                let host = request.url.host() ?? ""
                if host == "mfp.example.test", request.url.path().hasSuffix("/preauthorize") { try await gate.wait() }
                return try await #require(servers[host]).send(request)
            })
        let handler = CheckHandler("PinCode", nil)
        client.registerChallengeHandler(handler)
        let former = start("/adapters/Bank/balance", of: client)
        try await gate.waitForWaiters(1)
        client.setServerUrl(URL(string: "https://new.example.test/mfp"))
        gate.open()
        #expect(try await text(former.result) == "cancelled" && handler.log.value.isEmpty)
        #expect(try await text(start("/adapters/Secure/echo", of: client).result) == "200")
    }

    @Test func `M21, M23: a logout ends an open challenge of a call, and runs`() async throws {
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let waiting = start("/adapters/Bank/balance")
        _ = try await handler.log.wait { $0 == ["challenge 3"] }
        let behind = start("/adapters/Secure/echo")
        _ = try await fixture.transport.requests(count: 4)
        try await manager.logout("PinCode")
        #expect(fixture.service.counts.logouts == 1)
        #expect(try await text(waiting.result) == "cancelled")
        #expect(try await text(behind.result) == "cancelled")
        #expect(try await text(start("/adapters/Secure/echo").result) == "200")
    }

    /// A handler that makes a call before it submits.
    private final class Curious: SecurityCheckChallengeHandler {
        var call: ((@escaping @Sendable (String) -> Void) -> Void)?
        let results = Watched<[String]>([])

        override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
            let box = HandlerRegistry.Box(handler: self)
            call? { result in
                box.handler.results.update { $0.append(result) }
                box.handler.submitChallengeAnswer(["pin": "1234"])
            }
        }
    }

    private static func name(_ error: (any Error)?) -> String { (error as? WLError).map { "\($0.code)" } ?? "done" }

    @Test(arguments: [false, true], [false, true])
    func `M21, M23, M24: a handler that logs out or sets another server is the last one that is called`(
        logsOut: Bool, isQueued: Bool
    ) async throws {
        let client = fixture.client
        let queue = DispatchQueue(label: "handlers")
        if isQueued { client.delivery = .queue(queue) }
        let first = fixture.register(Curious(securityCheck: "PinCode"))
        let second = fixture.register(CheckHandler("UserLogin", nil))
        first.call = { _ in
            if logsOut {
                client.authorizationManager.logout("PinCode") { _ in }
            } else {
                client.setServerUrl(URL(string: "https://new.example.test/mfp"))
            }
        }
        #expect(try await text(start("/adapters/Vault/open").result) == "cancelled")
        // All that was enqueued before runs before this.
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(second.log.value.isEmpty)
        first.call = nil
    }

    /// Calls that need the authorization that waits for the handler.
    private static let calls: [(String, @Sendable (WLClient, @escaping @Sendable (String) -> Void) -> Void)] = [
        ("same scope", { client, done in client.request("/adapters/Bank/balance").send { done(name($1)) } }),
        ("other scope", { client, done in client.request("/adapters/Secure/echo").send { done(name($1)) } }),
        (
            "explicit scope",
            { client, done in client.request("/adapters/Secure/echo", scope: "x").send { done(name($1)) } }
        ),
        (
            "token",
            { client, done in
                client.authorizationManager.obtainAccessToken(forScope: "x", withCompletionHandler: { done(name($1)) })
            }
        ),
        (
            "login",
            { client, done in
                client.authorizationManager.login(
                    "PinCode", withCredentials: nil, withCompletionHandler: { done(name($0)) })
            }
        ),
        ("display name", { client, done in client.getDeviceDisplayName(completionHandler: { done(name($1)) }) }),
    ]

    @Test(arguments: calls.indices, [false, true])
    func `M21: a call that a handler makes before it submits fails, and says so`(
        index: Int, isQueued: Bool
    ) async throws {
        let client = fixture.client
        if isQueued { client.delivery = .queue(DispatchQueue(label: "handlers")) }
        let handler = fixture.register(Curious(securityCheck: "PinCode"))
        handler.call = { Self.calls[index].1(client, $0) }
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(handler.results.value == ["alreadyInProgress"])
        handler.call = nil
    }

    @Test func `M21, M22: the same in a login`() async throws {
        let client = fixture.client
        let handler = fixture.register(Curious(securityCheck: "PinCode"))
        handler.call = { done in client.request("/adapters/Secure/echo").send { done(Self.name($1)) } }
        try await manager.login("PinCode", withCredentials: ["pin": "0"])
        #expect(handler.results.value == ["alreadyInProgress"])
        handler.call = nil
    }

    @Test func `M21: a call that a handler makes works with a cached token, and after the credential`() async throws {
        let client = fixture.client
        _ = try await manager.obtainAccessToken(forScope: nil)
        _ = try await fixture.request("/adapters/Secure/echo").send()
        let handler = fixture.register(Curious(securityCheck: "PinCode"))
        let after = ExactlyOnce<String>()
        handler.call = { done in
            client.request("/adapters/Secure/echo").send { _, error in
                done(Self.name(error))
                client.request("/adapters/Bank/balance").send { after.succeed(Self.name($1)) }
            }
        }
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(handler.results.value == ["done"])
        #expect(try await text(after) == "done")
        handler.call = nil
    }
}
