import Akula
import Authentication
import Delegation
import Foundation
import HTTPCaching
import HTTPMessages
import HyperHive
import MobileFirst
import OracleCX
import Outbox
import Patchbay
import PatchbayTestKit
import Queueing
import SDMConnectivity
import SQLiteStore
import Synchronization
import TestSupport
import Transport
import VendorServices

/// A server with random faults, and one client of each kind over one engine. One store has the cache and the outbox.
final class SoakWorld: Sendable {
    let origin: String
    let service: SoakService
    let tally = SoakTally()
    private let orders = Mutex([String: String?]())
    let folder: TemporaryFolder
    let store: SQLiteStore

    /// The users of the stack, of the outbox, and of Akula's agent.
    let user = SoakUser()
    let outboxUser = SoakUser()
    let akulaUser = SoakUser()
    /// The user in whose name requests are signed: changed while no user is signed in.
    private let sender: SharedName

    let credentials: CredentialCache<BearerAuthorizer>
    let stack: Stack
    let outbox: Outbox
    let agent: AKServerAgent
    let manager: ORAHTTPManager
    let mobileFirst: WLClient
    let session: SDMSession
    let hive: HyperHive

    /// - Parameter hiveServer: the server of HyperHive's rows.
    init(_ service: SoakService, _ server: LoopbackServer, hive hiveServer: LoopbackServer) throws {
        self.service = service
        origin = "http://127.0.0.1:\(server.port)"
        folder = try TemporaryFolder()
        store = try SQLiteStore(.file(folder.url.appending(path: "soak.sqlite").path))
        let engine = TestTransport.make()
        let sender = SharedName()
        self.sender = sender
        credentials = CredentialCache(
            BearerAuthorizer {
                guard let name = sender.name else { throw SoakError.signedOut }
                return try OAuthToken("\(name)-token")
            })
        stack = try Stack.standard(over: engine).caching(in: HTTPCache(in: store)).coalescing()
            .authorizing(with: credentials, at: AllowedOrigins("http://127.0.0.1:\(server.port)"))
            .queued(in: RequestQueue(limits: QueueLimits(maximumConcurrent: 12)))
        outbox = try Outbox(
            in: store,
            over: engine.modifyingRequests { request in
                if let name = sender.name { try request.fields.set(.authorization, to: name) }
            },
            options: OutboxOptions {
                $0.backoff = .constant(.milliseconds(2))
                $0.maximumConcurrent = 3
            })
        agent = AKServerAgent(transport: engine, scope: try AKAppScope("\(origin)/akula/app"))
        agent.delivery = .inline
        manager = ORAHTTPManager(
            transport: engine, backoff: .exponential(base: .zero, cap: .zero), lifecycle: ORAManualLifecycle())
        manager.delivery = .inline
        var configuration = WLConfiguration(
            serverURL: "\(origin)/mfp", applicationID: "com.example.soak", applicationVersion: "1.0")
        configuration.warn = { _ in }
        mobileFirst = WLClient(configuration, transport: engine, registrations: WLMemoryRegistrationStore())
        mobileFirst.delivery = .inline
        mobileFirst.registerChallengeHandler(PinHandler(securityCheck: "PinCode"))
        session = SDMSession(
            transport: engine,
            configuration: SDMSession.Configuration(delivery: .inline, preferredLanguages: { ["en"] }))
        hive = HyperHive(
            HyperHiveConfiguration(
                host: "http://127.0.0.1:\(hiveServer.port)/", environment: "e", project: "p", device: "d"),
            transport: engine, options: HyperHiveOptions(documentsFolder: folder.url.path))
    }

    /// Signs a user of the stack and the outbox in; nil signs out.
    func signIn(_ name: String?) async throws {
        outboxUser.announce(nil)
        outboxUser.commit()
        try await outbox.signOut()
        user.announce(name)
        sender.name = name
        credentials.removeAll()
        user.commit()
        if let name { try await outbox.signIn(as: name) }
        outboxUser.announce(name)
        outboxUser.commit()
    }

    /// Signs users of a random client out, and others in. What fails, such as by a fault, leaves no user.
    func changeUsers(using random: inout SeededGenerator) async {
        let name = ([nil] + SoakService.users)[Int.random(in: 0...3, using: &random)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try? await signIn(name)
        case 1:
            try? await agent.logout()
            akulaUser.announce(name)
            akulaUser.commit()
            guard let name else { return }
            _ = try? await agent.login(principal: ["user": .string(name)], secret: ["password": "password"])
        case 2: try? await mobileFirst.authorizationManager.logout("PinCode")
        default:
            hive.signOut()
            _ = try? await hive.signIn("ann", password: "open sesame")
        }
    }

    /// The orders that were added to the outbox, by their texts, with their user; nil if it changed meanwhile.
    var addedOrders: [String: String?] { orders.withLock(\.self) }
    func addOrder(_ text: String, of user: String?) { orders.withLock { $0[text] = .some(user) } }

    func close() async throws {
        await outbox.close()
        try store.close()
    }
}

enum SoakError: Error { case signedOut }

/// A name that closures share.
final class SharedName: Sendable {
    private let value = Mutex<String?>(nil)

    var name: String? {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }
}

/// Knows the PIN.
private final class PinHandler: SecurityCheckChallengeHandler {
    override func handleChallenge(_ challenge: [AnyHashable: Any]!) { submitChallengeAnswer(["pin": "1234"]) }
}
