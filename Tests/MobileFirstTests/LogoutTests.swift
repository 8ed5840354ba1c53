import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@testable import Authentication
@testable import MobileFirst

@Suite(.needsSlot) struct LogoutTests {
    @Test func `M23: logout deletes all tokens`() async throws {
        let fixture = Fixture()
        fixture.pins("1234", "1234")
        let manager = fixture.client.authorizationManager
        let pin = try await manager.obtainAccessToken(forScope: "transfer")
        let plain = try await manager.obtainAccessToken(forScope: nil)
        try await manager.logout("PinCode")
        #expect(fixture.service.counts.logouts == 1)
        #expect(try await manager.obtainAccessToken(forScope: nil).value != plain.value)
        #expect(try await manager.obtainAccessToken(forScope: "transfer").value != pin.value)
        #expect(fixture.service.counts.challenges["PinCode"] == 2)
    }

    @Test func `M23: calls that need a token during a logout wait for its end, and then get one`() async throws {
        let gate = Gate()
        let backend = TestTransport.service(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/logout") { try await gate.wait() }
                return try await backend.send(request)
            })
        client.registerChallengeHandler(CheckHandler("PinCode", [["pin": "1234"]]))
        let manager = client.authorizationManager
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        let logout = Task { await failure { () throws(WLError) in try await manager.logout("PinCode") } }
        try await gate.waitForWaiters(1)
        let ledger = CompletionLedger<Int>()
        for number in 0..<5 {
            let call = ledger.call("\(number)")
            client.request("/adapters/Bank/balance").send { response, _ in call.succeed(response?.status ?? 0) }
        }
        gate.open()
        let codes = try await ledger.waitForAll().map { if case .success(let code) = $0 { code } else { 0 } }
        #expect(codes == [200, 200, 200, 200, 200])
        #expect(await logout.value == nil)
        try ledger.check()
    }

    @Test func `M23: a call after logout does not get the token of the user who logs out`() async throws {
        let gate = Gate()
        let backend = TestTransport.service(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/logout") { try await gate.wait() }
                return try await backend.send(request)
            })
        let manager = client.authorizationManager
        let first = try await manager.obtainAccessToken(forScope: nil)
        let once = ExactlyOnce<String>()
        manager.logout(
            "PinCode",
            withCompletionHandler: { error in once.succeed((error as? WLError).map { "\($0.code)" } ?? "done") })
        #expect(client.credentials.cachedCredential(for: .empty) == nil)
        try await gate.waitForWaiters(1)
        let second = Task { try await manager.obtainAccessToken(forScope: nil) }
        gate.open()
        #expect(try await second.value.value != first.value)
        let outcome = try await once.value
        #expect(outcome == "done")
    }

    @Test func `M23: a call that was cancelled during a logout challenges nothing after it`() async throws {
        let gate = Gate()
        let backend = TestTransport.service(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/logout") { try await gate.wait() }
                return try await backend.send(request)
            })
        let handler = CheckHandler("PinCode", [["pin": "1234"]])
        client.registerChallengeHandler(handler)
        let manager = client.authorizationManager
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        let before = handler.log.value
        let logout = Task { await failure { () throws(WLError) in try await manager.logout("PinCode") } }
        try await gate.waitForWaiters(1)
        let call = Task {
            await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: "transfer") }
        }
        try await eventually("the call waits") { client.credentials.waiterCount == 1 }
        call.cancel()
        #expect(await call.value?.code == .cancelled)
        gate.open()
        #expect(await logout.value == nil)
        // It runs after the cancelled call.
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(handler.log.value == before)
    }

    /// A gateway that shows its page until a login, and a handler whose dialog the test answers.
    private struct DialogWorld {
        final class Dialog: GatewayChallengeHandler {
            let log = Watched<[Int]>([])
            override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) { log.update { $0.append(challenge.status) } }
        }

        let fixture = Fixture(service: { $0.gateway = MobileFirstService.Gateway() })
        let dialog: Dialog
        var resourceRequests: Int { fixture.requests("Public/text").count }

        init() { dialog = fixture.register(Dialog(gatewayName: "form")) }

        func call() -> Task<WLError?, Never> {
            let client = fixture.client
            return Task {
                await failure { () throws(WLError) in try await client.request("/adapters/Public/text").send() }
            }
        }

        /// Logs in at the gateway as the next user.
        func logIn() async throws {
            let done = Watched(false)
            let form = LoginForm(
                url: "gateway/login", parameters: ["j_username": "ann", "j_password": "open sesame"], headers: [:],
                milliseconds: 0, method: "POST")
            dialog.challenge.submit(form) { _ in done.update { $0 = true } }
            try await done.wait { $0 }
            dialog.submitSuccess(nil)
        }
    }

    @Test func `M23, M29: a logout ends the dialog of a gateway, and the next user's login does not send its call`()
        async throws
    {
        let world = DialogWorld()
        let call = world.call()
        try await world.dialog.log.wait { $0 == [401] }
        world.fixture.client.authorizationManager.logout("PinCode") { _ in }
        try await world.logIn()
        #expect(await call.value?.code == .cancelled && world.resourceRequests == 1)
        #expect(await world.call().value == nil && world.resourceRequests == 2)
    }

    @Test func `M23, M29: a page of a gateway that arrives after a logout opens no dialog`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.path().hasSuffix("/text") { try await gate.wait() }
            return request.response(.unauthorized, text: "login page")
        }
        let dialog: DialogWorld.Dialog = DialogWorld.Dialog(gatewayName: "form")
        let client = WLClient.scripted(transport)
        client.registerChallengeHandler(dialog)
        let call = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Public/text").send() }
        }
        try await gate.waitForWaiters(1)
        client.authorizationManager.logout("PinCode") { _ in }
        gate.open()
        #expect(await call.value?.code == .cancelled && dialog.log.value.isEmpty)
    }

    @Test func `M23: a refresh that waited behind a logout does not use the earlier refresh token`() async throws {
        let fixture = Fixture(
            service: { $0.refreshTokenLifetime = .seconds(86_400) }, configure: { $0.usesRefreshTokens = true })
        let previous = try await fixture.client.credentials.credential(for: .empty)
        #expect(previous.refreshToken != nil)
        try await fixture.client.authorizationManager.logout("PinCode")
        let later = try await fixture.client.authorization.token(for: .empty, replacing: previous)
        #expect(fixture.service.counts.refreshes.isEmpty && fixture.requests("az/v1/token").count == 2)
        // A token from after the logout is refreshed as usual.
        _ = try await fixture.client.authorization.token(for: .empty, replacing: later)
        #expect(fixture.service.counts.refreshes == ["RegisteredClient": 1])
    }
}
