import Authentication
import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The emulated server verifies signatures with the platform's cryptography, so these tests do.
@Suite(.needsSlot) struct SignatureTests {
    private static let data: JSONValue = [
        "device": ["id": "d-1", "platform": "ios", "hardware": "x"],
        "application": ["id": "com.example.app", "clientPlatform": "ios"],
    ]

    private func service(_ verifier: MobileFirstService.SignatureVerifier) -> MobileFirstService {
        var configuration = MobileFirstService.Configuration()
        configuration.signatures = verifier
        return MobileFirstService(configuration)
    }

    /// Registers with a key, a signature of a signer, and a payload that replaces the signed one.
    private func status(
        _ service: MobileFirstService, _ key: RSAPublicKey, _ signer: RSAPrivateKey, sending payload: JSONValue? = nil
    ) async throws -> Int {
        let signed = try await SignedJSON(
            header: ["alg": "RS256", "jwk": key.jwk], payload: Self.data, signer: signer)
        let sent = try payload?.data().base64URLEncodedString() ?? signed.payload
        let body: JSONValue = [
            "signedRegistrationData": [
                "header": .string(signed.header), "payload": .string(sent), "signature": .string(signed.signature),
            ]
        ]
        let request = try HTTPRequest(
            .post, "\(Fixture.server)/api/registration/v1/self",
            fields: HTTPFields(["Content-Type": "application/json"]), body: .bytes(body.data()))
        return try await service.respond(to: request).status.code
    }

    @Test func `M20: a registration needs a signature of its key and of its payload`() async throws {
        let (key, other) = (try RSAPrivateKey.generate(), try RSAPrivateKey.generate(bits: 3072))
        let changed: JSONValue = [
            "device": ["id": "d-2", "platform": "ios", "hardware": "x"],
            "application": ["id": "com.example.app", "clientPlatform": "ios"],
        ]
        let verifying = service(.rs256)
        #expect(try await status(verifying, key.publicKey, key) == 201)
        #expect(try await status(verifying, other.publicKey, other) == 201)
        #expect(try await status(verifying, key.publicKey, key, sending: changed) == 400)
        let third = try RSAPrivateKey.generate()
        #expect(try await status(verifying, key.publicKey, third) == 400)
        #expect(try await status(verifying, other.publicKey, key) == 400)
        #expect(verifying.counts.registrations == 2)
        // A server that looks at the form only accepts the changed one.
        #expect(try await status(service(.structural), key.publicKey, key, sending: changed) == 201)
    }

    @Test(arguments: [true, false]) func `M20: a changed assertion is refused`(isVerified: Bool) async throws {
        let backend = TestTransport.service(service(isVerified ? .rs256 : .structural))
        let transport = ScriptedTransport { request in
            guard request.url.path().hasSuffix("/token") else { return try await backend.send(request) }
            var changed = request
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            try changed.setBody(.text(Self.changingSignature(of: form)))
            return try await backend.send(changed)
        }
        let manager = WLClient.scripted(transport).authorizationManager
        let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(error?.code == (isVerified ? .authorization : nil))
        #expect(error.map { $0.message.contains("invalid_client") } ?? !isVerified)
    }

    /// Changes a character in the middle of the assertion's signature.
    private static func changingSignature(of form: String) throws -> String {
        var fields = form.split(separator: "&").map(String.init)
        let index = try #require(fields.firstIndex { $0.hasPrefix("client_assertion=") })
        var parts = fields[index].split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        var characters = Array(parts[2])
        let middle = characters.count / 2
        characters[middle] = characters[middle] == "A" ? "B" : "A"
        parts[2] = String(characters)
        fields[index] = parts.joined(separator: ".")
        return fields.joined(separator: "&")
    }

    @Test func `M20: every signature of the client verifies, also of an update and a logout`() async throws {
        let store = WLMemoryRegistrationStore()
        let fixture = Fixture(registrations: store)
        let manager = fixture.client.authorizationManager
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        fixture.client.setDeviceID("d-2")
        _ = try await manager.obtainAccessToken(forScope: "transfer")
        try await manager.logout("PinCode")
        let once = ExactlyOnce<String>()
        fixture.client.getDeviceDisplayName { name, error in once.succeed(error == nil ? name ?? "none" : "error") }
        let name = try await once.value
        #expect(name == "none")
        let counts = fixture.service.counts
        #expect(counts.registrations == 1 && counts.registrationUpdates == 1 && counts.logouts == 1)
    }

    @Test(arguments: [false, true])
    func `M20, M30: a stored registration starts heartbeats too, also an updated one, and their signature verifies`(
        isUpdated: Bool
    ) async throws {
        let (clock, start) = (ManualClock(), Date(timeIntervalSince1970: 1_700_000_000))
        var configuration = MobileFirstService.Configuration()
        configuration.signatures = .rs256
        configuration.startTime = start
        let backend = TestTransport.service(MobileFirstService(configuration, clock: clock))
        let beats = Watched<[Int]>([])
        let transport = ScriptedTransport { request in
            let response = try await backend.send(request)
            if request.url.path().hasSuffix("/heartbeat") { beats.update { $0.append(response.status.code) } }
            return response
        }
        let store = WLMemoryRegistrationStore()
        func makeClient() -> WLClient {
            let client = WLClient(
                Fixture.configuration, transport: transport, registrations: store, clock: clock,
                date: { start + (clock.now.offset / .seconds(1)) })
            client.delivery = .inline
            return client
        }
        let first = makeClient()
        first.setHeartBeatInterval(0)
        _ = try await first.authorizationManager.obtainAccessToken(forScope: nil)
        let restarted = makeClient()
        if isUpdated { restarted.setDeviceID("d-2") }
        _ = try await restarted.authorizationManager.obtainAccessToken(forScope: nil)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(420))
        #expect(try await beats.wait { !$0.isEmpty } == [200])
        restarted.setHeartBeatInterval(0)
        try await clock.wait(until: \.isEmpty)
    }
}
