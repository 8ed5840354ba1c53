import Delegation
import Foundation
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The only tests of the shared controller, so that nothing else uses it at the same time.
@Suite(.needsSlot, .serialized) @MainActor struct LegacyCallSiteTests {
    private static let folder = Result { try TemporaryFolder() }
    private static let configuration = Result { () throws(FacadeConfigurationError) in
        try HHFWController.configureShared(
            client: HyperHive(
                transport: TestTransport.withoutDeadlines,
                options: HyperHiveOptions(documentsFolder: (try? folder.get())?.url.path)))
    }

    init() { _ = Self.configuration }

    @Test func `HyperHive 1: the shared controller is a singleton, configured once before its first use`() {
        #expect(throws: Never.self) { try Self.configuration.get() }
        #expect(HHFWController.sharedInstance() === HHFWController.sharedInstance())
        let late = #expect(throws: FacadeConfigurationError.self) {
            try HHFWController.configureShared(client: HyperHive())
        }
        #expect(late?.code == .alreadyInUse)
    }

    @Test(arguments: [false, true])
    func `HyperHive 1: legacy code works unchanged, on the main actor`(isAsync: Bool) async throws {
        let folder = try Self.folder.get().url
        let server = try HyperHiveService().startServer()
        await server.stopping { server in
            let screen = ResourceScreen()
            let isSignedIn = await withCheckedContinuation { done in
                screen.signIn("http://127.0.0.1:\(server.port)/") { done.resume(returning: $0) }
            }
            #expect(isSignedIn)
            #expect(screen.openBase(in: folder))
            let status = await withCheckedContinuation { done in
                screen.load("FRUITS", in: folder, isAsync: isAsync) { done.resume(returning: $0["status"] as? String) }
            }
            #expect(status == "ok")
            screen.select("FRUITS", "output_table")
            #expect(screen.records(screen.text)?.compactMap { $0["name"] as? String }.contains("Apple") == true)
            #expect(HHFWController.sharedInstance().closeBase("legacy.sqlite"))
        }
    }
}
