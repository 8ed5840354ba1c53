import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@testable import MobileFirst

/// Calls in flight during a logout or a change of the server.
@Suite(.needsSlot) struct SessionTests {
    private static let other = URL(string: "https://new.example.test/mfp")

    @Test(arguments: [false, true])
    func `M23, M24: a call that the server refuses after a logout or a change of the server is cancelled`(
        isLogout: Bool
    ) async throws {
        let gate = Gate()
        let (client, _, _) = resourceClient { request in
            guard request.fields[.authorization] != nil else { return try challenge(request, .unauthorized, "Bearer") }
            try await gate.wait()
            return try challenge(request, .unauthorized, #"Bearer error="invalid_token""#)
        }
        let call = Task { await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() } }
        try await gate.waitForWaiters(1)
        if isLogout {
            try await client.authorizationManager.logout("PinCode")
        } else {
            client.setServerUrl(Self.other)
        }
        gate.open()
        let error = await call.value
        #expect(error?.code == .cancelled && error?.errorCode == 1)
    }

    @Test(arguments: [false, true])
    func `M23, M24: the same for streams and downloads`(isDownload: Bool) async throws {
        let gate = Gate()
        let (client, _, _) = resourceClient { request in
            guard request.fields[.authorization] != nil else { return try challenge(request, .unauthorized, "Bearer") }
            try await gate.wait()
            return try challenge(request, .unauthorized, #"Bearer error="invalid_token""#)
        }
        let folder = try TemporaryFolder()
        let call = Task {
            await failure { () throws(WLError) in
                let request = client.request("/adapters/A/p")
                if isDownload {
                    try await request.download(to: folder.url.appending(path: "target"))
                } else {
                    _ = try await request.stream()
                }
            }
        }
        try await gate.waitForWaiters(1)
        client.setServerUrl(Self.other)
        gate.open()
        #expect(await call.value?.code == .cancelled)
    }

    @Test func `M24: a token that the earlier server refuses after a change is a cancelled call`() async throws {
        let service = MobileFirstService()
        let backend = TestTransport.service(service)
        let gate = Gate()
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/authorization") { try await gate.wait() }
                return try await backend.send(request)
            })
        let manager = client.authorizationManager
        let token = Task { await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) } }
        let call = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Secure/echo").send() }
        }
        try await gate.waitForWaiters(1)
        service.redirectAuthorizations(to: "https://mfp.example.test/mfp")
        client.setServerUrl(Self.other)
        gate.open()
        #expect(await token.value?.code == .cancelled)
        #expect(await call.value?.code == .cancelled)
    }

    @Test func `a call that the server refuses in its own session keeps the refusal`() async throws {
        let (client, _, _) = resourceClient { try challenge($0, .forbidden, "Bearer") }
        let error = await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() }
        #expect(error?.code == .authorization && error?.response?.status == 403)
    }
}
