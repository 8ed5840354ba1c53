import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct ClientTests {
    @Test func `M30: heartbeats start after registration, every 420 seconds, and zero ends them`() async throws {
        let clock = ManualClock()
        let start = Date()
        let fixture = Fixture(
            clock: clock, service: { $0.startTime = start }, date: { start + (clock.now.offset / .seconds(1)) })
        func beats(_ count: Int) async throws {
            try await eventually("a heartbeat has arrived") { fixture.service.counts.requests(to: .heartbeat) == count }
        }
        #expect(clock.sleeperCount == 0)
        await clock.advance(by: .seconds(1000))
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        try await clock.waitForSleepers(1)
        #expect(fixture.service.counts.requests(to: .heartbeat) == 0)
        await clock.advance(by: .seconds(419))
        #expect(fixture.service.counts.requests(to: .heartbeat) == 0)
        await clock.advance(by: .seconds(1))
        try await beats(1)
        try await clock.waitForSleepers(1)
        fixture.client.setHeartBeatInterval(10)
        let next = clock.now.advanced(by: .seconds(10))
        try await clock.wait { $0.first == next }
        await clock.advance(by: .seconds(10))
        try await beats(2)
        fixture.client.setHeartBeatInterval(interval: 0)
        try await clock.wait(until: \.isEmpty)
    }

    @Test func `M29, M30: a login page in response to a heartbeat opens no dialog`() async throws {
        final class Dialog: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) { log.update { $0.append("challenge") } }
        }
        let clock = ManualClock()
        let backend = TestTransport.service(MobileFirstService())
        let beats = Watched(0)
        let client = WLClient(
            Fixture.configuration,
            transport: ScriptedTransport { request in
                guard request.url.path().hasSuffix("/heartbeat") else { return try await backend.send(request) }
                beats.update { $0 += 1 }
                return request.response(.unauthorized, text: "login page")
            }, clock: clock)
        client.delivery = .inline
        let dialog: Dialog = Dialog(gatewayName: "form")
        client.registerChallengeHandler(dialog)
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        for count in 1...2 {
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(420))
            _ = try await beats.wait { $0 == count }
        }
        // The second one is sent when the first one has ended.
        #expect(dialog.log.value.isEmpty)
    }

    @Test func `M32: pins need a transport of the app where its own has layers or is another one`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "pin.der")
        try TestCertificates.original.write(to: file)
        let plain = ScriptedTransport([], then: .status(.ok))
        let client = WLClient(Fixture.configuration, transport: plain)
        client.pinTrustedCertificatePublicKey(fromFile: file.path)
        let error = await failure { () throws(WLError) in try await client.request("/a").send() }
        #expect(error?.code == .configuration && error?.message.contains("makePinnedTransport") == true)
        #expect(plain.requests.isEmpty)
    }

    @Test func `M32: pins are replaced, and each network gets the last ones`() async throws {
        let folder = try TemporaryFolder()
        let pins = Watched<[Set<Data>]>([])
        let pinned = ScriptedTransport([], then: .status(.ok))
        let plain = ScriptedTransport([], then: .status(.ok))
        let client = WLClient(
            Fixture.configuration, transport: plain,
            makePinnedTransport: { publicKeys in
                pins.update { $0.append(publicKeys) }
                return pinned
            })
        let certificates = [TestCertificates.other, TestCertificates.original, TestCertificates.renewed]
        for (name, certificate) in zip(["a", "b", "c"], certificates) {
            let file = folder.url.appending(path: name)
            try certificate.write(to: file)
            client.pinTrustedCertificatePublicKey(certificateFilename: file.path)
        }
        try await client.request("/a").send()
        // The public key is pinned, which a renewed certificate keeps.
        #expect(pins.value.count == 3 && pins.value[0] != pins.value[1])
        #expect(Array(pins.value[1...]) == [[TestCertificates.publicKey], [TestCertificates.publicKey]])
        #expect(pinned.requests.count == 1 && plain.requests.isEmpty)
    }

    @Test func `M32: a mismatching host is refused, and nothing is sent without the pin`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "pin.der")
        try TestCertificates.original.write(to: file)
        let plain = ScriptedTransport([], then: .status(.ok))
        let refusing = WLClient(
            Fixture.configuration, transport: plain,
            makePinnedTransport: { _ in ScriptedTransport([], then: .failure(.tls)) })
        refusing.pinTrustedCertificatePublicKey(fromFile: file.path)
        let request = refusing.request("/a")
        let refused = await failure { () throws(WLError) in try await request.send() }
        #expect(refused?.code == .unresponsiveHost)
        let missing = WLClient(Fixture.configuration, transport: plain)
        missing.pinTrustedCertificatePublicKey(fromFiles: ["no-such-certificate.der"])
        let text = folder.url.appending(path: "pin.pem")
        try Data("-----BEGIN CERTIFICATE-----".utf8).write(to: text)
        let unreadable = WLClient(Fixture.configuration, transport: plain)
        unreadable.pinTrustedCertificatePublicKey(fromFile: text.path)
        let third = unreadable.request("/a")
        let unread = await failure { () throws(WLError) in try await third.send() }
        #expect(unread?.code == .configuration && unread?.message.contains("DER") == true)
        let other = missing.request("/a")
        let error = await failure { () throws(WLError) in try await other.send() }
        #expect(error?.code == .configuration && error?.message.contains("no-such-certificate.der") == true)
        #expect(plain.requests.isEmpty)
    }

    @Test func `M33: clients, handlers and requests are released`() async throws {
        weak var client: WLClient?
        weak var handler: CheckHandler?
        weak var request: WLResourceRequest?
        func run() async throws {
            let fixture = Fixture()
            let strong = fixture.pins("1234")
            let sent = fixture.request("/adapters/Bank/balance")
            try await sent.send()
            (client, handler, request) = (fixture.client, strong, sent)
            #expect(client != nil && handler != nil && request != nil)
        }
        try await run()
        try await eventually("the client is released") { client == nil && handler == nil && request == nil }
    }

    @Test func `M33: a cancelled challenge retains neither its handler nor the client`() async throws {
        weak var client: WLClient?
        weak var handler: CheckHandler?
        func run() async throws {
            let fixture = Fixture()
            let strong = fixture.register(CheckHandler("PinCode", nil))
            let login = Task { [manager = fixture.client.authorizationManager] in
                await failure { () throws(WLError) in
                    try await manager.login("PinCode", withCredentials: ["pin": "0"])
                }
            }
            _ = try await strong.log.wait { !$0.isEmpty }
            login.cancel()
            #expect(await login.value?.code == .cancelled)
            (client, handler) = (fixture.client, strong)
            #expect(client != nil && handler != nil)
        }
        try await run()
        try await eventually("the handler is released") { client == nil && handler == nil }
    }

    @Test func `a property list configures a client`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "mfpclient.plist")
        let values: [String: Any] = [
            "protocol": "https", "host": "mfp.example.test", "port": "9443", "wlServerContext": "/mfp/",
            "languagePreferences": "de", "wlEnableRefreshToken": true,
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0).write(to: file)
        let configuration = try WLConfiguration(propertyList: file)
        #expect(configuration.serverURL == "https://mfp.example.test:9443/mfp/")
        #expect(configuration.languagePreferences == "de" && configuration.usesRefreshTokens)
        try PropertyListSerialization.data(fromPropertyList: ["protocol": "https"], format: .xml, options: 0)
            .write(to: file)
        let error = #expect(throws: WLError.self) { try WLConfiguration(propertyList: file) }
        #expect(error?.message.contains("`wlServerContext`") == true)
    }

    @Test(arguments: ["", "mfp.example.test", "ftp://h.test/"])
    func `an invalid server URL fails each call`(url: String) async throws {
        let client = WLClient.scripted(ScriptedTransport([])) { $0.serverURL = url }
        let request = client.request("/a")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .configuration && !client.isInitialized)
    }

    @Test func `a registration in a file survives, with mode 0600`() async throws {
        let folder = try TemporaryFolder()
        let store = WLFileRegistrationStore(at: folder.url.appending(path: "registration"))
        #expect(try store.load() == nil)
        let fixture = Fixture(registrations: store)
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(try store.load() != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: store.file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let client = WLClient(
            Fixture.configuration, transport: TestTransport.service(fixture.service), registrations: store)
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(fixture.service.counts.registrations == 1)
        try store.save(nil)
        #expect(try store.load() == nil)
    }

    // MARK: The modern side

    @Test func `requests report progress, and responses can be decoded`() async throws {
        struct Echo: Decodable, Sendable { let method: String }
        let fixture = Fixture()
        let recorder = EventRecorder()
        let request = fixture.request("/adapters/Public/echo")
        #expect(try await request.send(observer: recorder, as: .json(Echo.self)).method == "GET")
        #expect(recorder.events.compactMap(TransferProgress.init).last?.fraction == 1)
        let error = await failure { () throws(WLError) in try await request.send(as: .json([Int].self)) }
        #expect(error?.code == .parse)
    }

    @Test func `files are uploaded and downloaded, and bodies are streamed, with a token`() async throws {
        let fixture = Fixture()
        fixture.pins("1234")
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("content".utf8).write(to: file)
        let upload = fixture.request("/adapters/Bank/balance", WLHttpMethodPut)
        let response = try await upload.upload(fromFile: file)
        #expect(response.member("body") == "content" && response.member("contentType") == "application/octet-stream")
        let refused = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await refused.upload(fromFile: file) }
        #expect(error?.code == .invalidRequest)
        let stream = try await fixture.request("/adapters/Public/binary").stream()
        try await #expect(stream.collect().body == Data(0...255))
        let missing = fixture.request("/adapters/Public/status/404")
        let failed = await failure { () throws(WLError) in try await missing.stream() }
        #expect(failed?.response?.status == 404)
        let target = folder.url.appending(path: "target")
        try await fixture.request("/adapters/Public/binary").download(to: target)
        #expect(try Data(contentsOf: target) == Data(0...255))
        let unloadable = await failure { () throws(WLError) in try await missing.download(to: target) }
        #expect(unloadable?.response?.status == 404)
    }
}
