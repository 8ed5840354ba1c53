import Akula
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The only test of ``AKAppScope/shared`` and of the transport of all agents: one test, so that nothing else uses them
/// at the same time.
@Suite(.needsSlot) @MainActor struct LegacyCallSiteTests {
    @Test func `legacy code works unchanged, in a plain class and in a main actor class`() async throws {
        let store = InventoryStore()
        #expect(store.names() == [])
        #expect(store.lastError?.code == -1)
        #expect(store.lastError?.localizedDescription.contains("initialize") == true)
        try configureTransport()
        InventoryStore.configure("no URL")
        #expect(store.names() == [])
        #expect(store.lastError?.code == -1)

        try await LoopbackServer(service: AkulaService()).stopping { server in
            let base = "http://127.0.0.1:\(server.port)/akula/myServerApp"
            InventoryStore.configure(base)
            try runStore(store, server)
            try await runScreen()
            try await observeSessions()
            let fetched = await withCheckedContinuation { done in
                store.fetch(base + "/data/text") { text, error in done.resume(returning: (text, error?.statusCode)) }
            }
            #expect(fetched.0 == "Grüße aus dem Schaltschrank")
            let response = try blocking { try PartnerAgent().getSync(base + "/data/text") }
            #expect(response.statusCode == 200)
            // Each request used the configured transport: of agents created before and after, of logins, of subclasses.
            #expect(Self.transport.exchanges.count == server.requestCount)
        }
        AKAppScope.shared.end()
        let late = #expect(throws: AKConfigurationError.self) {
            try AKHTTPAgent.configure(transport: TestTransport.shared)
        }
        #expect(late?.code == .alreadyInUse && late?.message.contains("before the first call") == true)
    }

    private static let transport = RecordingTransport(base: TestTransport.shared.redirecting(.akula))

    private func configureTransport() throws {
        try AKServerAgent.configure(transport: Self.transport)
        let second = #expect(throws: AKConfigurationError.self) {
            try AKServerAgent.configure(transport: TestTransport.shared)
        }
        #expect(second?.code == .alreadyConfigured)
    }

    private func runStore(_ store: InventoryStore, _ server: LoopbackServer) throws {
        store.prepare()
        #expect(store.names() == ["patch cable", "jack"])
        #expect(store.lastError == nil)
        #expect(server.requests.last?.target == "/akula/myServerApp/data/items?region=east")
        #expect(server.requests.last?.fields["X-Client"] == "7")

        #expect(throws: AKError.self) { try store.rename(1, to: "plug") }
        #expect(throws: AKError.self) { try store.logIn("ann", "wrong") }
        #expect(AKSession.current == nil)
        try #expect(store.logIn("ann", "open sesame"))
        try #expect(store.rename(1, to: "plug") == 200)
        #expect(store.remove(2))
        #expect(!store.remove(2))
        #expect(store.names() == ["plug"])
        try store.logOut()
        #expect(AKSession.current == nil)
    }

    private func observeSessions() async throws {
        let recorders = (0..<8).map { _ in EventRecorder() }
        let principal: [String: Any] = ["user": "ann"]
        let secret: [String: Any] = ["password": "open sesame"]
        try await AKSession.login(
            principal: ["user": "ann"], secret: ["password": "open sesame"], observer: recorders[0])
        try await AKSession.logout(observer: recorders[1])
        _ = try blocking { try AKSession.loginSync(principal: principal, secret: secret, observer: recorders[2]) }
        try blocking { try AKSession.logoutSync(observer: recorders[3]) }
        await AKSession.login(principal: principal, secret: secret, observer: recorders[4], delegate: nil).wait()
        await AKSession.logout(observer: recorders[5], delegate: nil).wait()
        await AKSession.login(principal: principal, secret: secret, observer: recorders[6]) { _ in }.wait()
        await AKSession.logout(observer: recorders[7]) { _ in }.wait()
        #expect(recorders.map(\.events.isEmpty) == Array(repeating: false, count: 8))
    }

    private func runScreen() async throws {
        let screen = InventoryScreen()
        func done(_ start: () -> Void) async {
            await withCheckedContinuation { done in
                screen.onDone = { done.resume() }
                start()
            }
        }
        await done { screen.load() }
        #expect(screen.title == "200 Grüße aus dem Schaltschrank")
        #expect(!screen.isBusy)
        await done { screen.add("plug") }
        #expect(screen.title == "Log in first")
        await done { screen.logIn("ann", "open sesame") }
        #expect(AKSession.current != nil)
        await done { screen.add("plug") }
        #expect(screen.title.hasPrefix("201"))
        await done { screen.countItems() }
        #expect(screen.count == 2)

        let list = InventoryList()
        await withCheckedContinuation { done in list.load { done.resume() } }
        #expect(list.names.count == 2)
        await withCheckedContinuation { done in list.logIn("ann", "wrong") { done.resume() } }
        #expect(list.message == "Bad credentials")

        let failures = Failures()
        await AKServerAgent().get("/data/nothing", delegate: failures).wait()
        await DispatchQueue.main.drain()
        #expect(failures.count == 1)
        try await AKSession.logout()
    }
}
