import Delegation
import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

/// A manager over a scripted transport with a manual clock, a manual lifecycle, own settings and inline delivery.
struct Fixture: Sendable {
    let folder: TemporaryFolder
    let settings: ORASettingsStore
    let lifecycle = ORAManualLifecycle()
    let clock = ManualClock()
    let transport: ScriptedTransport
    let manager: HTTPManager<ScriptedTransport>

    init(
        _ transport: ScriptedTransport, concurrently: Int = 1,
        backoff: ExponentialBackoff = .exponential(base: .zero, cap: .zero), maximumRetryAfter: Duration = .seconds(60)
    ) throws {
        folder = try TemporaryFolder()
        settings = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
        self.transport = transport
        manager = HTTPManager(
            transport: transport, maximumConcurrentRequestsPerOrigin: concurrently, backoff: backoff,
            maximumRetryAfter: maximumRetryAfter, settings: settings,
            lifecycle: lifecycle, clock: clock)
        manager.delivery = .inline
    }

    /// Adds a request with its name as tag, and records its completion in the ledger.
    @discardableResult
    func add(
        _ name: String, _ priority: ORARequestPriority = Normal, url: String? = "http://oracle.test/",
        into ledger: CompletionLedger<ORAResponse>
    ) -> ORACall {
        let request = ORARequest(url: url)
        request.priority = priority
        request.requestTag = name
        return manager.addRequest(request, completionHandler: ledger.call(name).succeed)
    }

    /// Tags of the sent requests, in order.
    var sent: [String] { transport.requests.map { $0.options.tag ?? "-" } }

    /// Waits until this number of requests waits in the queue.
    func waitForQueued(_ count: Int) async throws {
        // Polls, because the queue has no event for a submission; requests are submitted right after they were added.
        try await eventually { manager.queue.waitingCount == count }
    }
}

extension HTTPManager {
    /// Adds a request and waits for its response.
    func response(to request: ORARequest) async -> ORAResponse {
        await withCheckedContinuation { done in addRequest(request, completionHandler: { done.resume(returning: $0) }) }
    }
}

extension ExactlyOnce<ORAResponse>.Outcome {
    var response: ORAResponse? {
        if case .success(let response) = self { response } else { nil }
    }
}
