import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@testable import MobileFirst

@Suite(.needsSlot) struct ChallengeTests {
    private let fixture = Fixture()

    private var manager: WLAuthorizationManager { fixture.client.authorizationManager }

    @Test func `M21: a wrong PIN challenges again, and the right one ends it`() async throws {
        let handler = fixture.pins("0000", "1111", "1234")
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(handler.log.value == ["challenge 3", "challenge 2", "challenge 1", "success"])
        #expect(fixture.requests("preauthorize").count == 4)
    }

    @Test func `M21: too many wrong PINs fail the call and the handler`() async throws {
        let handler = fixture.pins("0", "1", "2", "3")
        let request = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .authorization && error?.response?.status == 403)
        #expect(handler.log.value == ["challenge 3", "challenge 2", "challenge 1", "failure Account blocked"])
    }

    @Test func `M21: two pending checks lead to one request with both`() async throws {
        let pin = fixture.pins("1234")
        let user = fixture.register(CheckHandler("UserLogin", [["username": "ann", "password": "open sesame"]]))
        try await fixture.request("/adapters/Vault/open").send()
        #expect(pin.log.value == ["challenge 3", "success"] && user.log.value == ["challenge 3", "success"])
        #expect(fixture.requests("preauthorize").count == 2)
    }

    @Test func `M21: a cancelled challenge fails the call, and the next call works`() async throws {
        let handler = fixture.pins()
        let request = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .challengeCancelled && error?.vendorCode == "CHALLENGE_HANDLING_CANCELED")
        #expect(error?.errorCode == 5)
        handler.credentials = [["pin": "1234"]]
        try await request.send()
        handler.cancel()
        handler.submitChallengeAnswer(["pin": "1"])
        #expect(handler.log.value == ["challenge 3", "challenge 3", "success"])
    }

    @Test func `M21: without a handler the call fails, and names the check`() async throws {
        let request = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .missingChallengeHandler && error?.message.contains("PinCode") == true)
    }

    @Test func `M21: a failure of one check ends the wait for the other`() async throws {
        let pin = fixture.pins()
        let user = fixture.register(CheckHandler("UserLogin", nil))
        let request = fixture.request("/adapters/Vault/open")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .challengeCancelled)
        // The other handler is not called any more. It may submit late; that has no effect.
        #expect(user.log.value.isEmpty)
        user.submitChallengeAnswer(["username": "ann", "password": "open sesame"])
        #expect(fixture.requests("preauthorize").count == 1 && pin.log.value == ["challenge 3"])
    }

    @Test func `M21: a direct update comes before the other challenges`() async throws {
        final class UpdateHandler: SecurityCheckChallengeHandler {
            let log = Watched<[String]>([])
            override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
                log.update { $0.append("version \(challenge["version"] ?? "")") }
                submitChallengeAnswer(["done": true])
            }
        }
        fixture.service.requireDirectUpdate(["version": 2])
        let update = fixture.register(UpdateHandler(securityCheck: "directUpdate"))
        let pin = fixture.pins("1234")
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(update.log.value == ["version 2"] && pin.log.value == ["challenge 3", "success"])
        #expect(fixture.requests("preauthorize").count == 3)
    }

    /// A handler that submits the PIN, and calls a closure after its success.
    private final class Continuing: SecurityCheckChallengeHandler {
        var next: (() -> Void)?
        override func handleChallenge(_ challenge: [AnyHashable: Any]!) { submitChallengeAnswer(["pin": "1234"]) }
        override func handleSuccess(_ success: [AnyHashable: Any]!) { next?() }
    }

    @Test func `M21: a call that a handler starts gets a token too, also with inline delivery`() async throws {
        let handler = fixture.register(Continuing(securityCheck: "PinCode"))
        let once = ExactlyOnce<Int>()
        handler.next = { [client = fixture.client] in
            client.request("/adapters/Secure/echo").send { response, _ in once.succeed(response?.status ?? 0) }
        }
        try await fixture.request("/adapters/Bank/balance").send()
        let status = try await once.value
        #expect(status == 200)
        handler.next = nil
        try once.check()
    }

    @Test func `M22: a handler can log out as soon as its login has succeeded`() async throws {
        let handler = fixture.register(Continuing(securityCheck: "PinCode"))
        let once = ExactlyOnce<String>()
        handler.next = { [manager] in
            manager.logout("PinCode") { error in once.succeed((error as? WLError)?.vendorCode ?? "done") }
        }
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        #expect(try await text(once) == "done")
        handler.next = nil
        try once.check()
    }

    @Test func `M22: a cancelled call that waits for another authorization completes at once`() async throws {
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let login = Task { [manager] in
            await failure { () throws(WLError) in try await manager.login("PinCode", withCredentials: ["pin": "0"]) }
        }
        _ = try await handler.log.wait { !$0.isEmpty }
        let once = ExactlyOnce<String>()
        let call = fixture.client.getDeviceDisplayName { name, error in
            once.succeed((error as? WLError).map { "\($0.code)" } ?? name ?? "")
        }
        call.cancel()
        #expect(try await text(once) == "cancelled")
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(await login.value == nil)
        try once.check()
    }

    @Test func `M21: a credential that is not JSON fails the call`() async throws {
        fixture.register(CheckHandler("PinCode", [["pin": Date()]]))
        let request = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `a handler of neither kind is reported`() {
        fixture.register(BaseChallengeHandler(name: "lost"))
        #expect(fixture.warnings.value.count == 1 && fixture.warnings.value[0].contains("lost"))
        #expect(fixture.client.getAllChallengeHandlers().isEmpty)
    }

    @Test func `the handlers of the vendor's Swift classes have labels`() async throws {
        final class Handler: SecurityCheckChallengeHandlerSwift {
            let log = Watched<[String]>([])
            override func handleChallenge(challengeResponse: [AnyHashable: Any]) {
                log.update { $0.append("challenge") }
                submitChallengeAnswer(answer: ["pin": "1234"])
            }
            override func handleSuccess(successResponse: [AnyHashable: Any]) { log.update { $0.append("success") } }
            override func handleFailure(failureResponse: [AnyHashable: Any]) { log.update { $0.append("failure") } }
        }
        let handler = Handler(securityCheck: "PinCode")
        fixture.client.registerChallengeHandler(challengeHandler: handler)
        #expect(fixture.client.getChallengeHandler(bySecurityCheck: "PinCode") === handler)
        #expect(fixture.client.getAllChallengeHandlers().count == 1)
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(handler.log.value == ["challenge", "success"])
    }

    @Test func `M22: a login completes and calls its handler, and obtains no token`() async throws {
        let handler = fixture.pins()
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        #expect(handler.log.value == ["success"])
        #expect(fixture.service.counts.tokenExchanges.isEmpty)
        // The check is passed, so a token needs no challenge.
        _ = try await manager.obtainAccessToken(forScope: "transfer")
        #expect(fixture.service.counts.challenges.isEmpty)
    }

    @Test func `M22: a wrong login challenges its handler`() async throws {
        let handler = fixture.pins("1234")
        try await manager.login("PinCode", withCredentials: ["pin": "0"])
        #expect(handler.log.value == ["challenge 2", "success"])
    }

    @Test func `M22: a blocked login fails, and the state is reset`() async throws {
        let handler = fixture.pins()
        fixture.service.failNext(for: "PinCode")
        let error = await failure { () throws(WLError) in
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        }
        #expect(error?.code == .authorization && handler.log.value == ["failure Account blocked"])
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
    }

    private func text(_ call: ExactlyOnce<String>) async throws -> String? {
        if case .success(let text) = try await call.outcome { text } else { nil }
    }

    @Test func `M22: a second login and a logout meanwhile are refused, each with one completion`() async throws {
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let ledger = CompletionLedger<String>()
        func record(_ call: ExactlyOnce<String>) -> ((any Error)?) -> Void {
            { call.succeed(($0 as? WLError).map { "\($0.code)" } ?? "done") }
        }
        let first = ledger.call("first")
        manager.login("PinCode", withCredentials: ["pin": "0"], withCompletionHandler: record(first))
        _ = try await handler.log.wait { !$0.isEmpty }
        let second = ledger.call("second"), logout = ledger.call("logout")
        manager.login(securityCheck: "PinCode", credentials: ["pin": "1234"], onCompletion: record(second))
        manager.logout(securityCheck: "PinCode", onCompletion: record(logout))
        #expect(try await text(second) == "alreadyInProgress")
        #expect(try await text(logout) == "alreadyInProgress")
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(try await text(first) == "done")
        try await manager.logout("PinCode")
        try ledger.check()
    }

    @Test func `M22: logins and logouts begin in the order of their calls`() async throws {
        _ = try await manager.obtainAccessToken(forScope: nil)
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let ledger = CompletionLedger<String>()
        func record(_ name: String) -> ((any Error)?) -> Void {
            let call = ledger.call(name)
            return { call.succeed(($0 as? WLError).map { "\($0.code)" } ?? "done") }
        }
        manager.login("PinCode", withCredentials: ["pin": "0"], withCompletionHandler: record("first"))
        // The login begins before the call returns.
        #expect(fixture.client.authorization.begin(.login).refusal?.code == .alreadyInProgress)
        for number in 0..<10 {
            manager.login("PinCode", withCredentials: ["pin": "1234"], withCompletionHandler: record("\(number)"))
            manager.logout("PinCode", withCompletionHandler: record("logout \(number)"))
        }
        _ = try await handler.log.wait { !$0.isEmpty }
        handler.submitChallengeAnswer(["pin": "1234"])
        let outcomes = try await ledger.waitForAll().map { if case .success(let text) = $0 { text } else { "" } }
        #expect(outcomes == ["done"] + Array(repeating: "alreadyInProgress", count: 20))
        try ledger.check()
    }

    @Test func `M22: credentials that are not JSON fail the login, and end its lease`() async throws {
        let error = await failure { () throws(WLError) in
            try await manager.login("PinCode", withCredentials: ["pin": Date()])
        }
        #expect(error?.code == .invalidRequest)
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
    }

    @Test func `M22: a handler can log out as soon as a token's challenge has succeeded`() async throws {
        let handler = fixture.register(Continuing(securityCheck: "PinCode"))
        let once = ExactlyOnce<String>()
        handler.next = { [manager] in
            manager.logout("PinCode") { error in once.succeed((error as? WLError)?.vendorCode ?? "done") }
        }
        _ = try await manager.obtainAccessToken(forScope: "transfer")
        #expect(try await text(once) == "done")
        handler.next = nil
        try once.check()
    }

    @Test func `M22: a login that gets a page instead of JSON fails`() async throws {
        let backend = TestTransport.service(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                request.url.path().hasSuffix("/preauthorize")
                    ? request.response(text: "<html>Welcome</html>") : try await backend.send(request)
            })
        let error = await failure { () throws(WLError) in
            try await client.authorizationManager.login("PinCode", withCredentials: ["pin": "1234"])
        }
        #expect(error?.code == .status && error?.response?.status == 200)
    }

    @Test func `M22: a logout before registration is refused`() async throws {
        let error = await failure { () throws(WLError) in try await manager.logout("PinCode") }
        #expect(error?.code == .notRegistered && error?.vendorCode == "AUTHORIZATION_FAILURE")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `M22: a cancelled login ends its challenge, and another login works`() async throws {
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let login = Task { [manager] in
            await failure { () throws(WLError) in try await manager.login("PinCode", withCredentials: ["pin": "0"]) }
        }
        _ = try await handler.log.wait { !$0.isEmpty }
        login.cancel()
        #expect(await login.value?.code == .cancelled)
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
    }
}
