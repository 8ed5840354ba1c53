import Delegation
import Foundation
import PatchbayTestKit

@testable import SDMConnectivity

/// A delegate that logs its callbacks, without a method for received bytes.
final class LoggingDelegate: SDMHttpRequestDelegate, Sendable {
    private let log = Watched<[String]>([])
    private let threads = Watched<[Bool]>([])
    private let onRedirect: @Sendable (SDMHttpRequest, URL) -> Void
    private let onChallenge: @Sendable (SDMHttpRequest) -> Void

    init(
        onRedirect: @escaping @Sendable (SDMHttpRequest, URL) -> Void = { $0.redirect(to: $1) },
        onChallenge: @escaping @Sendable (SDMHttpRequest) -> Void = { $0.cancelAuthentication() }
    ) {
        self.onRedirect = onRedirect
        self.onChallenge = onChallenge
    }

    /// The callbacks so far, in order.
    var events: [String] { log.value }
    /// True when all callbacks came on the main thread.
    var isOnMainThread: Bool { threads.value.allSatisfy(\.self) }
    /// The number of completions.
    var endCount: Int { events.count { $0.hasPrefix("finished") || $0.hasPrefix("failed") } }

    /// Waits for the completion, and returns the callbacks.
    func ended() async throws -> [String] {
        try await log.wait { $0.contains { $0.hasPrefix("finished") || $0.hasPrefix("failed") } }
    }

    /// Waits for a callback.
    func wait(for event: String) async throws { try await log.wait { $0.contains(event) } }

    private func add(_ event: String) {
        threads.update { $0.append(MainQueue.isCurrent) }
        log.update { $0.append(event) }
    }

    func requestStarted(_ request: SDMHttpRequest) { add("started") }
    func requestFinished(_ request: SDMHttpRequest) { add("finished \(request.responseStatusCode)") }
    func requestFailed(_ request: SDMHttpRequest) { add("failed \(request.error?.errorCode ?? 0)") }
    func requestRedirected(_ request: SDMHttpRequest) { add("redirected") }
    func request(_ request: SDMHttpRequest, willRedirectTo url: URL) {
        add("will redirect to \(url.path())")
        onRedirect(request, url)
    }
    func authenticationNeeded(for request: SDMHttpRequest) {
        add("authentication needed")
        onChallenge(request)
    }
    func proxyAuthenticationNeeded(for request: SDMHttpRequest) {
        add("proxy authentication needed")
        onChallenge(request)
    }
}

/// A delegate that collects the received bytes, under one of the spellings.
final class CollectingDelegate: SDMHttpRequestDelegate, Sendable {
    let bytes = Watched(Data())
    func request(_ request: SDMHttpRequest, didReceive data: Data) { bytes.update { $0.append(data) } }
}

final class LongSpellingDelegate: SDMHttpRequestDelegate, Sendable {
    let bytes = Watched(Data())
    func request(_ request: SDMHttpRequest, didReceiveData data: Data) { bytes.update { $0.append(data) } }
}

final class MisspellingDelegate: SDMHttpRequestDelegate, Sendable {
    let bytes = Watched(Data())
    func request(_ request: SDMHttpRequest, didRecieveData data: Data) { bytes.update { $0.append(data) } }
}

/// A delegate by selectors, as the vendor's guide shows it.
final class SelectorScreen: SelectorTarget, Sendable {
    let log = Watched<[String]>([])

    static var selectors: SelectorTable {
        [
            .method("serviceDocFetchStarted:", SelectorScreen.started),
            .method("serviceDocFetchComplete:", SelectorScreen.complete),
            .method("serviceDocFetchFailed:", SelectorScreen.failed),
            .method("request:didRecieveData:", SelectorScreen.received),
            .method("queueFinished:", SelectorScreen.queueFinished),
        ]
    }

    private func add(_ event: String) { log.update { $0.append(event) } }

    func started(_ request: SDMHttpRequest) { add("started") }
    func complete(_ request: SDMHttpRequest) { add("complete") }
    func failed(_ request: SDMHttpRequest) { add("failed \(request.error?.errorCode ?? 0)") }
    func received(_ request: SDMHttpRequest, _ data: Data) { add("received \(data.count)") }
    func queueFinished(_ queue: SDMNetworkQueue) { add("queue finished") }
}

/// A delegate that logs progress.
final class ProgressLog: SDMProgressDelegate, Sendable {
    enum Event: Hashable, Sendable {
        case fraction(Float)
        case received(Int64)
        case sent(Int64)
        case download(Int64)
        case upload(Int64)
    }

    let log = Watched<[Event]>([])

    func setProgress(_ progress: Float) { log.update { $0.append(.fraction(progress)) } }
    func request(_ request: SDMHttpRequest, didReceiveBytes count: Int64) { log.update { $0.append(.received(count)) } }
    func request(_ request: SDMHttpRequest, didSendBytes count: Int64) { log.update { $0.append(.sent(count)) } }
    func request(_ request: SDMHttpRequest, incrementDownloadSizeBy count: Int64) {
        log.update { $0.append(.download(count)) }
    }
    func request(_ request: SDMHttpRequest, incrementUploadSizeBy count: Int64) {
        log.update { $0.append(.upload(count)) }
    }

    /// The fractions so far.
    var fractions: [Float] { log.value.fractions }
    /// The sum of the received and sent bytes.
    var bytes: Int64 { log.value.bytes }
    /// The sum of the announced sizes.
    var size: Int64 {
        log.value.reduce(0) { sum, event in
            switch event {
            case .download(let count), .upload(let count): sum + count
            default: sum
            }
        }
    }

    /// Waits for the end of the progress.
    func finished() async throws { try await log.wait { $0.last == .fraction(1) } }

    /// Waits for the end of the progress of several requests, whose fraction may reach 1 before the last bytes count.
    func finished(_ bytes: Int64) async throws {
        try await log.wait { $0.bytes == bytes && $0.fractions.last == 1 }
    }
}

extension [ProgressLog.Event] {
    fileprivate var fractions: [Float] { compactMap { if case .fraction(let value) = $0 { value } else { nil } } }
    fileprivate var bytes: Int64 {
        reduce(0) { sum, event in
            switch event {
            case .received(let count), .sent(let count): sum + count
            default: sum
            }
        }
    }
}
