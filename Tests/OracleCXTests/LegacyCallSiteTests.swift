import Foundation
import OracleCX
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

/// The only tests of the program's one manager and its one store, in one test so that nothing else uses them meanwhile.
@Suite("Oracle: code of old apps", .needsSlot) @MainActor struct LegacyCallSiteTests {
    @Test("Oracle 1: works unchanged, from a plain class and from a screen on the main actor")
    func everything() async throws {
        let folder = try TemporaryFolder()
        let file = ORASettingsStore.shared.file
        ORASettingsStore.shared.file = folder.url.appending(path: "settings.json")
        defer { ORASettingsStore.shared.file = file }

        try await LoopbackServer(service: OracleService()).stopping { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let reporter = Reporter()
            let values: NSDictionary = ["events": [["timestamp": "1"]]]
            let report = await withCheckedContinuation { done in
                reporter.report(values, to: origin + "/v3/acc") { status, tag in done.resume(returning: (status, tag)) }
            }
            #expect(report.0 == 200 && report.1 == "report")
            #expect(reporter.lastError == nil)
            let failed = await withCheckedContinuation { done in
                reporter.report(values, to: "www.abc.come/xyz") { status, _ in done.resume(returning: status) }
            }
            #expect(failed == 0 && reporter.lastError?.code == NSURLErrorUnsupportedURL)

            let screen = StateScreen()
            await withCheckedContinuation { done in screen.load(origin + "/echo") { done.resume() } }
            #expect(!screen.isBusy && screen.text.contains(#""query":{"a":"1"}"#))
        }

        #expect(Reporter().goOnInBackground(true))
        #expect(ORACoreDataContainer().getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
        #expect(Reporter().goOnInBackground(false))
        #expect(AppContainer().getValue(AppRegion()) == "north")
        #expect(AppContainer().putValue("south", forKey: AppRegion()))
        #expect(AppContainer().getValue(AppRegion()) == "south")
        try #expect(folder.names == ["settings.json"])
    }

    @Test("Oracle 1: there is one manager") func shared() {
        #expect(ORAHTTPManager.shared() === ORAHTTPManager.shared())
    }
}
