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
    let endedBackgroundTasks = Watched(0)
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
            lifecycle: ObservedLifecycle(base: lifecycle, endedTasks: endedBackgroundTasks), clock: clock)
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

    /// Waits until the requests added so far are submitted, and requires that this number of them waits in the queue.
    func waitForQueued(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        await manager.waitForSubmissions()
        try #require(manager.queue.waitingCount == count, sourceLocation: sourceLocation)
    }

    /// Advances the clock past the backoff of the only request, and waits until its retry is in the queue.
    func waitForRetry(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await clock.waitForSleepers(1)
        await clock.advanceToNextDeadline()
        // The retry is submitted on the manager's executor, in the job that continues after the backoff.
        try await waitForQueued(1, sourceLocation: sourceLocation)
    }
}

/// A lifecycle that counts the background tasks that have ended.
private struct ObservedLifecycle: ORAAppLifecycle {
    let base: ORAManualLifecycle
    let endedTasks: Watched<Int>

    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        base.observe(handler)
    }

    func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let end = base.beginBackgroundTask(expirationHandler: expirationHandler)
        return {
            end()
            endedTasks.update { $0 += 1 }
        }
    }
}

extension HTTPManager {
    /// Adds a request and waits for its response.
    func response(to request: ORARequest) async -> ORAResponse {
        await withCheckedContinuation { done in addRequest(request, completionHandler: { done.resume(returning: $0) }) }
    }

    /// Waits until the requests added so far are submitted to the queue.
    ///
    /// They are submitted in the order in which they were added, so this adds one that fails in its turn.
    func waitForSubmissions() async { _ = await response(to: ORARequest(url: nil)) }
}

extension ExactlyOnce<ORAResponse>.Outcome {
    var response: ORAResponse? {
        if case .success(let response) = self { response } else { nil }
    }
}
