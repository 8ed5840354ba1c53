import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import SignIn
import Synchronization
import Testing

@Suite struct DeviceLoginTests {
    @Test func `the prompt and the polling of RFC 8628`() async throws {
        let server = LoginServer()
        server.update {
            $0.tokenResponses = [["error": "authorization_pending"], ["error": "slow_down"]]
        }
        let clock = ManualClock()
        let login = try server.login(clock: clock)
        let prompts = Mutex<[DevicePrompt]>([])
        let result = try await clock.autoAdvancing {
            try await login.signIn(scopes: ["orders"]) { prompt in prompts.withLock { $0.append(prompt) } }
        }
        #expect(clock.now.offset == .seconds(5 + 5 + 10) && result.idToken?.subject == "ann")
        let prompt = try #require(prompts.withLock { $0.first })
        #expect(prompt.verificationURL.absoluteString == "https://example.com/device")
        #expect(prompt.userCode == "WDJB-MJHT" && prompt.lifetime == .seconds(1800))
        #expect(prompt.completeURL?.absoluteString == "https://example.com/device?user_code=WDJB-MJHT")
        var dumped = "\(prompt)"
        dump(prompt, to: &dumped)
        #expect(!dumped.contains("WDJB"))
        #expect(server.forms("/device").first?["client_id"] == "shop")
        let form = try #require(server.forms("/token").last)
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code" && form["client_id"] == "shop")
        #expect(form["device_code"] == "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS")
    }

    @Test func `a user that denies or is too slow is one error each`() async throws {
        for (name, code) in [("access_denied", SignInError.Code.accessDenied), ("expired_token", .deviceCodeExpired)] {
            let server = LoginServer()
            server.update { $0.tokenResponses = [["error": "authorization_pending"], ["error": .string(name)]] }
            let clock = ManualClock()
            let login = try server.login(clock: clock)
            let error = await #expect(throws: SignInError.self) {
                try await clock.autoAdvancing { try await login.tokens(scopes: []) { _ in } }
            }
            #expect(error?.code == code)
        }
    }

    @Test func `a cancelled task stops to ask`() async throws {
        let server = LoginServer()
        let clock = ManualClock()
        let login = try server.login(clock: clock)
        let task = Task { try await login.tokens(scopes: []) { _ in } }
        try await clock.waitForSleepers(1)
        task.cancel()
        let error = await #expect(throws: SignInError.self) { try await task.value }
        #expect(error?.code == .cancelled && server.forms("/token").isEmpty)
    }

    @Test func `a malformed response names the member, without the codes`() async throws {
        for body in [
            #"{"user_code": "u", "verification_uri": "https://a.example", "expires_in": 5}"#,
            #"{"device_code": "s3cret", "user_code": "u", "verification_uri": "javascript:x", "expires_in": 5}"#,
            #"{"device_code": "s3cret", "user_code": "u", "verification_uri": "https://a.example"}"#, "{", "[]",
        ] {
            let server = LoginServer()
            let url = try #require(URL(string: LoginServer.issuer + "/device"))
            server.update { $0.overrides["/device"] = HTTPResponse(status: .ok, body: Data(body.utf8), url: url) }
            let login = try server.login()
            let error = await #expect(throws: AuthenticationError.self) { try await login.tokens(scopes: []) { _ in } }
            #expect(error?.code == .invalidTokenResponse && error?.message.contains("`") == true)
            #expect(!"\(String(describing: error))".contains("s3cret"))
        }
    }
}
