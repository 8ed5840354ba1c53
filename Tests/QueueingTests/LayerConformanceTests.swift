import Connectivity
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite(.needsSlot) struct LayerConformanceTests {
    /// Adds a tag to every request, so that the queue can cancel it.
    private struct Tagging<Base: StreamingTransport>: StreamingTransport {
        let base: Base

        private func tagged(_ request: HTTPRequest) -> HTTPRequest {
            var request = request
            request.options.tag = "tag"
            return request
        }

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(tagged(request), observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            try await base.stream(tagged(request), observer: observer)
        }
    }

    /// Balances over the one host of each request.
    private struct OneHost<Base: StreamingTransport>: StreamingTransport {
        let base: Base

        private func balancing(_ request: HTTPRequest) throws -> Balancing<Base> {
            base.balancing(over: try HostList(request.origin.text))
        }

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await balancing(request).send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            try await balancing(request).stream(request, observer: observer)
        }
    }

    private enum Layer: String, CaseIterable {
        case queued = "Queued"
        case tagged = "Queued, with tags"
        case retrying = "Retrying"
        case hedging = "Hedging"
        case circuitBreaking = "CircuitBreaking"
        case coalescing = "Coalescing"
        case waiting = "WaitingForConnectivity"
        case limiting = "RateLimiting"
        case balancing = "Balancing"

        func over(_ base: some StreamingTransport) -> any StreamingTransport {
            switch self {
            case .queued: Queued(base: base)
            case .tagged: Tagging(base: Queued(base: base))
            case .retrying:
                Retrying(
                    base: base,
                    strategy: Retry(classifier: .standard, backoff: .constant(.milliseconds(1)), limiter: .attempts(2)))
            case .hedging: Hedging(base: base, after: .seconds(600))
            case .circuitBreaking: CircuitBreaking(base: base, policy: CircuitPolicy(isFailure: { _ in false }))
            case .coalescing: Coalescing(base: base)
            case .waiting: base.waitingForConnectivity(ManualNetworkMonitor())
            case .limiting: base.limiting(to: .requests(1_000_000, per: .second))
            case .balancing: OneHost(base: base)
            }
        }

        func streamed(over base: some StreamingTransport) -> any Transport {
            func streamed(_ base: some StreamingTransport) -> any Transport { Streamed(base: base) }
            return streamed(over(base))
        }

        /// The deliberate deviations of this layer.
        private func exclusions(
            _ more: [String: ConformanceExclusion] = [:]
        ) -> [String: ConformanceExclusion] {
            guard self == .retrying else { return [:] }
            return more.merging(["a 503 is a response": retries]) { $1 }
        }

        var subjects: [ConformanceSubject] {
            let short = "a response shorter than its Content-Length is an error"
            return [
                ConformanceSubject(inProcess: rawValue, exclusions: exclusions([short: retries])) {
                    over(ScriptedTransport($0))
                },
                ConformanceSubject(inProcess: "\(rawValue), streamed", exclusions: exclusions()) {
                    streamed(over: ScriptedTransport($0))
                },
                ConformanceSubject(
                    overSocket: "\(rawValue) over a network",
                    exclusions: exclusions([short: retries]).merging(ConformanceSubject.urlSessionExclusions) { $1 }
                ) { clock in over(URLSessionTransport(clock: clock)) },
                ConformanceSubject(
                    overSocket: "\(rawValue) over a network, streamed",
                    exclusions: exclusions().merging(ConformanceSubject.urlSessionStreamExclusions) { $1 }
                ) { clock in streamed(over: URLSessionTransport(clock: clock)) },
            ]
        }
    }

    private static let retries: ConformanceExclusion = "retrying is the purpose of the layer"

    static let subjects = Layer.allCases.flatMap(\.subjects)

    /// Over a network only faults, streaming and cancellation: layers do not read bytes.
    static func cases(for subject: ConformanceSubject) -> [ConformanceCase] {
        guard subject.capabilities.contains(.socket) else { return TransportConformance.cases }
        return TransportConformance.cases.filter {
            !$0.needs.isDisjoint(with: [.faults, .streaming, .clock]) || $0.name.contains("cancel")
        }
    }

    // One case at a time: a thousand at once would exhaust threads and memory.
    @Test(arguments: subjects) func `each layer conforms`(subject: ConformanceSubject) async {
        for conformance in Self.cases(for: subject) {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }

    @Test func `each layer streams, and has all capabilities over a network`() {
        #expect(Self.subjects.count == 4 * Layer.allCases.count)
        let able = Self.subjects.filter { $0.capabilities == [.socket, .faults, .clock, .streaming] }
        #expect(able.count == Layer.allCases.count)
        #expect(able.allSatisfy { Self.cases(for: $0).count > 50 })
    }
}
