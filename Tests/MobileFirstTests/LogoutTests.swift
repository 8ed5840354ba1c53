import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

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
}
