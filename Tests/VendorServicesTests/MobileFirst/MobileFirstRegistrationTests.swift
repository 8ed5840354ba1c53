import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import VendorServices

struct MobileFirstRegistrationTests {
    @Test func `a registration returns the client id as the last segment of the location`() async throws {
        let client = MobileFirstClient { $0.makeID = { "id-1" } }
        let response = try await client.send(.post, "/api/registration/v1/self", json: client.registrationBody())
        #expect(response.status == 201)
        #expect(response.fields[.location] == "http://mfp.test:80/mfp/api/registration/v1/self/id-1")
        #expect(client.service.registrations == ["id-1": MobileFirstClient.registration])
        #expect(client.service.counts.registrations == 1)
        #expect(client.service.counts.requests(to: .registration) == 1)
    }

    @Test func `malformed registrations are refused`() async throws {
        let client = MobileFirstClient()
        var weak = client
        weak.modulus = Data([0x7F]) + Data(repeating: 0x31, count: 255)
        var incomplete = client.signed(["device": ["id": "d-1"], "application": ["id": "a", "clientPlatform": "ios"]])
        var bodies: [JSONValue] = [
            [:], ["signedRegistrationData": "x"], weak.registrationBody(),
            Self.body(client.signed(MobileFirstClient.registration, algorithm: "none")), Self.body(incomplete),
        ]
        incomplete = client.signed(MobileFirstClient.registration)
        for (index, part) in [(0, "%%"), (1, "W10"), (2, ""), (2, Data(repeating: 0, count: 256).base64URL)] {
            var parts = incomplete
            parts[index] = part
            bodies.append(Self.body(parts))
        }
        for body in bodies {
            let response = try await client.send(.post, "/api/registration/v1/self", json: body)
            #expect(response.status == 400)
            #expect(response.json["errorCode"] == "INVALID_REQUEST")
        }
        let untyped = try await client.send(
            .post, "/api/registration/v1/self", body: .text(client.registrationBody().description))
        #expect(untyped.status == 400)
        #expect(client.service.counts.registrations == 0)
    }

    private static func body(_ parts: [String]) -> JSONValue {
        [
            "signedRegistrationData": [
                "header": .string(parts[0]), "payload": .string(parts[1]), "signature": .string(parts[2]),
            ]
        ]
    }

    @Test func `the verifier gets signature, signed text and key`() async throws {
        let client = MobileFirstClient { configuration in
            configuration.signatures = MobileFirstService.SignatureVerifier { signature, message, key in
                signature == Data(repeating: 0x11, count: 256) && key.exponent == Data([1, 0, 1])
                    && String(decoding: message, as: UTF8.self).split(separator: ".").count == 2
                    && !message.contains(0x20)
            }
        }
        let id = try await client.register()
        #expect(id != "")
        var longer = client
        longer.modulus = Data([0xC5]) + Data(repeating: 0x31, count: 383)
        let response = try await longer.send(.post, "/api/registration/v1/self", json: longer.registrationBody())
        #expect(response.status == 400)
    }

    @Test func `a registration changes with the same key only`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let path = "/api/registration/v1/self/\(id)"
        let changed: JSONValue = [
            "device": ["id": "d-1", "platform": "ios", "hardware": "arm64"],
            "application": ["id": "com.example.app", "clientPlatform": "ios", "version": "2.0"],
        ]
        var other = client
        other.modulus[0] = 0xC6
        try await #expect(other.send(.put, path, json: other.registrationBody(changed)).status == 400)
        try await #expect(client.send(.put, path, json: client.registrationBody(changed, keyID: "x")).status == 400)
        #expect(client.service.registrations[id] == MobileFirstClient.registration)
        try await #expect(client.send(.put, path, json: client.registrationBody(changed, keyID: id)).status == 200)
        #expect(client.service.registrations[id] == changed)
        #expect(client.service.counts.registrationUpdates == 1)
        let unknown = try await client.send(.put, path + "x", json: client.registrationBody(changed))
        #expect(unknown.json["errorCode"] == "INVALID_CLIENT_ID")
    }

    @Test func `the registration is returned for an assertion`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let text = try #require(client.assertion(id)["client_assertion"])
        let response = try await client.send(.get, "/api/registration/v1/self/\(id)?client_assertion=\(text)")
        #expect(response.status == 200)
        #expect(response.json == MobileFirstClient.registration)
        try await #expect(client.send(.get, "/api/registration/v1/self/\(id)").status == 400)
    }

    @Test func `a forgotten client must register again`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let token = try await client.token(id)
        client.service.forgetClients()
        for response in [
            try await client.preauthorize(id), try await client.authorize(id),
            try await client.logOut(id, of: "PinCode"),
        ] {
            #expect(response.status == 400)
            #expect(response.json["errorCode"] == "INVALID_CLIENT_ID")
        }
        try await #expect(client.call("Secure/echo", token: token).status == 401)
        let second = try await client.register()
        try await #expect(client.preauthorize(second).status == 200)
    }
}
