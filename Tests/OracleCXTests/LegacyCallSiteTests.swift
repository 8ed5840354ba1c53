import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The only tests of the shared manager and the shared store, so that nothing else uses them at the same time.
@Suite(.needsSlot) @MainActor struct LegacyCallSiteTests {
    /// A recording transport over the network, with which the shared manager is configured once per process.
    private static let transport = RecordingTransport(base: TestTransport.shared)
    private static let configurations = (0..<2).map { _ in
        Result { () throws(ORAConfigurationError) in
            try ORAHTTPManager.configureShared(
                transport: transport, timeouts: Timeouts(response: .seconds(50)), maximumResponseBytes: 1 << 20)
        }
    }

    init() { _ = Self.configurations }

    @Test func `the shared manager is configured once, before its first use`() {
        #expect(throws: Never.self) { try Self.configurations[0].get() }
        #expect(throws: ORAConfigurationError.self) { try Self.configurations[1].get() }
        if case .failure(let error) = Self.configurations[1] { #expect(error.code == .alreadyConfigured) }
        #expect(ORAHTTPManager.shared().transport.base is RecordingTransport<AnyTransport>)
        let late = #expect(throws: ORAConfigurationError.self) { try ORAHTTPManager.configureShared() }
        #expect(late?.code == .alreadyInUse)
        for timeouts in [Timeouts(response: .zero), Timeouts(total: .seconds(-1))] {
            let error = #expect(throws: ORAConfigurationError.self) {
                try ORAHTTPManager.configureShared(timeouts: timeouts)
            }
            #expect(error?.code == .invalidLimit)
        }
        let error = #expect(throws: ORAConfigurationError.self) {
            try ORAHTTPManager.configureShared(maximumResponseBytes: -1)
        }
        #expect(error?.code == .invalidLimit)
    }

    @Test
    func `Oracle 1: legacy code works unchanged, in a plain class and in a main actor class`() async throws {
        let folder = try TemporaryFolder()
        let file = ORASettingsStore.shared.file
        #expect(file.lastPathComponent == "OracleCX.json")
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
            let options = Self.transport.exchanges.map(\.request.options)
            #expect(options.count == 2)
            #expect(options.allSatisfy { $0.timeouts.response == .seconds(50) && $0.maximumResponseBytes == 1 << 20 })
        }

        #expect(Reporter().goOnInBackground(true))
        #expect(ORACoreDataContainer().getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
        #expect(Reporter().goOnInBackground(false))
        #expect(AppContainer().getValue(AppRegion()) == "north")
        #expect(AppContainer().putValue("south", forKey: AppRegion()))
        #expect(AppContainer().getValue(AppRegion()) == "south")
        try #expect(folder.names == ["settings.json"])
    }

    @Test func `Oracle 1: the shared manager is a singleton`() {
        #expect(ORAHTTPManager.shared() === ORAHTTPManager.shared())
    }
}
