import Delegation
import Foundation
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct HungHostTests {
    private let folder: TemporaryFolder
    private let settings: ORASettingsStore

    init() throws {
        folder = try TemporaryFolder()
        settings = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    private func manager(perOrigin: Int? = nil) -> HTTPManager<AnyTransport> {
        let manager = HTTPManager(
            transport: TestTransport.withoutDeadlines, maximumConcurrentRequestsPerOrigin: perOrigin,
            settings: settings,
            lifecycle: ORAManualLifecycle())
        manager.delivery = .inline
        return manager
    }

    @Test(arguments: [nil, 2])
    func `it delays no request to another server, and requests to it stay in order`(perOrigin: Int?) async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { hung in
            try await LoopbackServer { $0.response(text: "here") }.stopping { live in
                let manager = manager(perOrigin: perOrigin)
                let ledger = CompletionLedger<ORAResponse>()
                let calls = (0..<3).map { number in
                    let request = ORARequest(url: "http://127.0.0.1:\(hung.port)/\(number)")
                    return manager.addRequest(request, completionHandler: ledger.call("\(number)").succeed)
                }
                try await hung.requests(count: perOrigin ?? 1)
                for priority in [Immediate, Normal] {
                    let request = ORARequest(url: "http://127.0.0.1:\(live.port)/")
                    request.priority = priority
                    let response = await manager.response(to: request)
                    #expect(response.data == Data("here".utf8))
                }
                #expect(hung.requestCount == perOrigin ?? 1)
                for call in calls { call.cancel() }
                try await ledger.waitForAll()
                try ledger.check()
            }
        }
    }

    @Test(arguments: [("1", 1), ("3", 3), ("x", 1)])
    func `the thread count is the number of concurrent requests per origin`(value: String, limit: Int) async throws {
        let isValid = ORACoreDataContainer(store: settings).putValue(value, forKey: ORAConfigHTTPThreadCount())
        #expect(isValid == (value != "x"))
        #expect(manager().queue.limits.maximumConcurrentPerKey == limit)
        #expect(manager(perOrigin: 5).queue.limits.maximumConcurrentPerKey == 5)
        #expect(manager(perOrigin: 500).queue.limits.maximumConcurrent == 500)
    }
}
