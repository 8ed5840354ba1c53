import HTTPMessages
import PatchbayTestKit
import Testing
import VendorServices

struct MobileFirstPreauthorizationTests {
    private let pin: JSONValue = ["PinCode": ["pin": "1234"]]
    private let wrong: JSONValue = ["PinCode": ["pin": "0000"]]

    @Test func `a scope without checks succeeds with the server's time`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        await client.clock.advance(by: .milliseconds(1500))
        for scope in ["", "RegisteredClient", "accessRestricted"] {
            let response = try await client.preauthorize(id, scope)
            #expect(response.status == 200)
            let time = MobileFirstClient.startTime + 1500
            #expect(
                response.json == ["successes": ["clockSynchronization": ["serverTimeStamp": .integer(time)]]])
        }
        #expect(client.service.counts.requests(to: .preauthorization) == 3)
    }

    @Test func `a PIN is challenged, counted, blocked and reset`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        func step(_ credentials: JSONValue, _ status: Int, _ member: String, _ expected: JSONValue) async throws {
            let response = try await client.preauthorize(id, "RegisteredClient transfer", credentials)
            #expect(response.status == status)
            #expect(response.json[member]?["PinCode"] == expected)
            #expect((response.fields[.wwwAuthenticate] == "MFP-Challenge") == (status == 401))
        }
        func challenge(_ remaining: Int64, _ message: JSONValue = "Invalid credentials") -> JSONValue {
            ["errorMsg": message, "remainingAttempts": .integer(remaining)]
        }
        let blocked: JSONValue = ["failure": "Account blocked"]

        try await step([:], 401, "challenges", challenge(3, nil))
        try await step(["PinCode": nil], 401, "challenges", challenge(3, nil))
        try await step(wrong, 401, "challenges", challenge(2))
        try await step(pin, 200, "successes", [:])
        try await step([:], 200, "successes", [:])
        // A success restores the attempts; a wrong PIN ends the success.
        try await step(wrong, 401, "challenges", challenge(2))
        try await step(wrong, 401, "challenges", challenge(1))
        try await step(wrong, 403, "failures", blocked)
        await client.clock.advance(by: .milliseconds(59_999))
        try await step(pin, 403, "failures", blocked)
        await client.clock.advance(by: .milliseconds(1))
        try await step(wrong, 401, "challenges", challenge(2))
        try await step(pin, 200, "successes", [:])
        await client.clock.advance(by: .seconds(3600))
        try await step([:], 401, "challenges", challenge(3, nil))
        client.service.block("PinCode")
        try await step(pin, 403, "failures", blocked)
        client.service.resetChecks()
        try await step(pin, 200, "successes", [:])
        #expect(client.service.counts.challenges == ["PinCode": 7])
        #expect(client.service.counts.failures == ["PinCode": 3])
    }

    @Test func `clients have separate attempts`() async throws {
        let client = MobileFirstClient { $0.checks = [.pin(attempts: 1)] }
        let first = try await client.register()
        let second = try await client.register()
        try await #expect(client.preauthorize(first, "transfer", wrong).status == 403)
        try await #expect(client.preauthorize(second, "transfer", pin).status == 200)
    }

    @Test func `login with credentials returns the user`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let bad: JSONValue = ["UserLogin": ["username": "ann", "password": "x"]]
        try await #expect(client.preauthorize(id, "UserLogin", bad).status == 401)
        let good: JSONValue = ["UserLogin": ["username": "ann", "password": "open sesame"]]
        let response = try await client.preauthorize(id, "UserLogin", good)
        #expect(response.status == 200)
        #expect(
            response.json["successes"]?["UserLogin"]?["user"] == [
                "id": "ann", "displayName": "ann", "attributes": [:], "authenticatedBy": "UserLogin",
                "authenticatedAt": .integer(MobileFirstClient.startTime),
            ])
        #expect(client.service.counts.tokenExchanges == [:])
    }

    @Test func `two checks are challenged together and each success is kept`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let both = try await client.preauthorize(id, "premium")
        #expect(both.json["challenges"]?.object?.keys.sorted() == ["PinCode", "UserLogin"])
        let one = try await client.preauthorize(id, "premium", pin)
        #expect(one.status == 401)
        #expect(one.json["challenges"]?.object?.keys.sorted() == ["UserLogin"])
        #expect(one.json["successes"]?["PinCode"] == [:])
        let login: JSONValue = ["UserLogin": ["username": "ann", "password": "open sesame"]]
        try await #expect(client.preauthorize(id, "premium", login).status == 200)
    }

    @Test func `the mandatory scope is checked but not in the token`() async throws {
        let client = MobileFirstClient { $0.mandatoryScope = "transfer" }
        let id = try await client.register()
        try await #expect(client.preauthorize(id).status == 401)
        try await #expect(client.preauthorize(id, "", pin).status == 200)
        try await #expect(client.exchange(id).json["scope"] == "RegisteredClient")
    }

    @Test func `logout ends the success and the tokens of one check`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        _ = try await client.preauthorize(id, "transfer", pin)
        let plain = try await client.token(id)
        let transfer = try await client.token(id, "RegisteredClient transfer")
        try await #expect(client.call("Bank/balance", token: transfer).status == 200)
        try await #expect(client.logOut(id, of: "PinCode").status == 200)
        try await #expect(client.call("Bank/balance", token: transfer).status == 401)
        try await #expect(client.call("Secure/echo", token: plain).status == 200)
        try await #expect(client.preauthorize(id, "transfer").status == 401)
        try await #expect(client.logOut(id, of: "Unknown").status == 400)
        #expect(client.service.counts.logouts == 1)
    }

    @Test func `forced outcomes last for their number of requests`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        client.service.challengeNext(2, for: "PinCode")
        client.service.failNext(for: "AppAuthenticity", with: ["failure": "Rooted"])
        let failed = try await client.preauthorize(id, "transfer", pin)
        #expect(failed.status == 403)
        #expect(failed.json == ["failures": ["AppAuthenticity": ["failure": "Rooted"]]])
        try await #expect(client.preauthorize(id, "transfer", pin).status == 401)
        try await #expect(client.preauthorize(id, "transfer", pin).status == 200)
    }

    @Test func `a direct update is challenged until a request names it`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        client.service.requireDirectUpdate(["size": 7])
        let response = try await client.preauthorize(id)
        #expect(response.status == 401)
        #expect(response.json["challenges"] == ["directUpdate": ["size": 7]])
        let other = try await client.register()
        try await #expect(client.preauthorize(id, "", ["directUpdate": [:]]).status == 200)
        // The update is done, for this client only.
        try await #expect(client.preauthorize(id).status == 200)
        try await #expect(client.preauthorize(other).status == 401)
        client.service.requireDirectUpdate(["size": 8])
        try await #expect(client.preauthorize(id).status == 401)
        client.service.requireDirectUpdate(nil)
        try await #expect(client.preauthorize(id).status == 200)
    }

    @Test func `invalid preauthorizations are refused`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let path = "/api/preauth/v1/preauthorize"
        try await #expect(client.preauthorize("x").json["errorCode"] == "INVALID_CLIENT_ID")
        try await #expect(client.send(.post, path, json: [:]).json["errorCode"] == "INVALID_CLIENT_ID")
        try await #expect(client.preauthorize(id, "unknown").json["errorCode"] == "INVALID_SCOPE")
        try await #expect(client.send(.post, path, json: []).json["errorCode"] == "INVALID_REQUEST")
        try await #expect(client.send(.get, path).status == 405)
    }

    @Test func `a heartbeat needs an assertion`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        try await #expect(client.send("/api/preauth/v1/heartbeat", form: client.assertion(id)).status == 200)
        try await #expect(client.send("/api/preauth/v1/heartbeat", form: [:]).status == 400)
        #expect(client.service.counts.requests(to: .heartbeat) == 2)
    }
}
