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

/// A manager over a scripted transport, whose waits are on a clock that stands still and whose handlers are called
/// inline, with everything that an app has around it.
struct Bench: Sendable {
    let folder: TemporaryFolder
    let settings: ORASettingsStore
    let lifecycle = ORAManualLifecycle()
    let clock = ManualClock()
    let transport: ScriptedTransport
    let manager: HTTPManager<ScriptedTransport>

    init(
        _ transport: ScriptedTransport, concurrently: Int = 1,
        backoff: ExponentialDelay = .exponential(base: .zero, cap: .zero)
    ) throws {
        folder = try TemporaryFolder()
        settings = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
        self.transport = transport
        manager = HTTPManager(
            transport: transport, maximumConcurrentRequests: concurrently, backoff: backoff, settings: settings,
            lifecycle: lifecycle, clock: clock)
        manager.delivery = .inline
    }

    /// Adds a request whose tag is its name, and watches how it ends.
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

    /// The tags of the requests that were sent, in order.
    var sent: [String] { transport.requests.map { $0.options.tag ?? "-" } }

    /// Returns when so many requests wait.
    func waitForWaiting(_ count: Int) async throws {
        // The queue tells nobody when somebody joins it; a request joins it right after it was added.
        try await eventually { manager.queue.waitingCount == count }
    }
}

extension HTTPManager {
    /// Adds a request and waits for its end.
    func response(to request: ORARequest) async -> ORAResponse {
        await withCheckedContinuation { done in addRequest(request, completionHandler: { done.resume(returning: $0) }) }
    }
}

extension ExactlyOnce<ORAResponse>.Outcome {
    var response: ORAResponse? {
        if case .success(let response) = self { response } else { nil }
    }
}
