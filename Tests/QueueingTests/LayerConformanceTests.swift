import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite("Transport conformance of the layers", .needsSlot) struct LayerConformanceTests {
    /// Gives every request a tag, with which it can be cancelled from elsewhere.
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

    private enum Layer: String, CaseIterable {
        case queued = "Queued"
        case tagged = "Queued, with tags"
        case retrying = "Retrying"
        case hedging = "Hedging"
        case circuitBreaking = "CircuitBreaking"
        case coalescing = "Coalescing"

        func over(_ base: some StreamingTransport) -> any StreamingTransport {
            switch self {
            case .queued: Queued(base: base)
            case .tagged: Tagging(base: Queued(base: base))
            case .retrying:
                Retrying(
                    base: base,
                    strategy: Retry(triage: .standard, delay: .constant(.milliseconds(1)), permission: .attempts(2)))
            case .hedging: Hedging(base: base, after: .seconds(600))
            case .circuitBreaking: CircuitBreaking(base: base, policy: CircuitPolicy(isFailure: { _ in false }))
            case .coalescing: Coalescing(base: base)
            }
        }

        func streamed(over base: some StreamingTransport) -> any Transport {
            func streamed(_ base: some StreamingTransport) -> any Transport { Streamed(base: base) }
            return streamed(over(base))
        }

        /// What this layer does otherwise, and is meant to.
        private func exclusions(
            _ more: [String: ConformanceExclusion] = [:]
        ) -> [String: ConformanceExclusion] {
            guard self == .retrying else { return [:] }
            return more.merging(["a server that is busy is a response": sendsAgain]) { $1 }
        }

        var subjects: [ConformanceSubject] {
            let short = "an answer that is shorter than its length is an error"
            let downloads = [
                "a download goes on where it was interrupted, again and again",
                "a download starts over when the file has changed",
            ]
            // Without a network what goes wrong in a body does so before the head, when there is still time to repeat.
            let early = Dictionary(uniqueKeysWithValues: (downloads + [short]).map { ($0, sendsAgain) })
            return [
                ConformanceSubject(inProcess: rawValue, exclusions: exclusions(early)) { over(ScriptedTransport($0)) },
                ConformanceSubject(inProcess: "\(rawValue), streamed", exclusions: exclusions([short: sendsAgain])) {
                    streamed(over: ScriptedTransport($0))
                },
                ConformanceSubject(
                    overSocket: "\(rawValue) over a network",
                    exclusions: exclusions([short: sendsAgain]).merging(ConformanceSubject.urlSessionExclusions) { $1 }
                ) { clock in over(URLSessionTransport(clock: clock)) },
                ConformanceSubject(
                    overSocket: "\(rawValue) over a network, streamed",
                    exclusions: exclusions().merging(ConformanceSubject.urlSessionStreamExclusions) { $1 }
                ) { clock in streamed(over: URLSessionTransport(clock: clock)) },
            ]
        }
    }

    private static let sendsAgain: ConformanceExclusion = "sending again is what the layer is for"

    static let subjects = Layer.allCases.flatMap(\.subjects)

    /// Over a network only what goes wrong, comes piece by piece or is cancelled: how bytes are read is nothing to a layer.
    static func cases(for subject: ConformanceSubject) -> [ConformanceCase] {
        guard subject.abilities.contains(.socket) else { return TransportConformance.cases }
        return TransportConformance.cases.filter {
            !$0.needs.isDisjoint(with: [.faults, .streaming, .clock]) || $0.name.contains("cancel")
        }
    }

    // Case by case: a thousand at once would leave the other tests neither threads nor memory.
    @Test("each layer does what transports do", arguments: subjects) func conforms(subject: ConformanceSubject) async {
        for conformance in Self.cases(for: subject) {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }

    @Test("each layer streams, and has what a case may need where there is a network") func abilities() {
        #expect(Self.subjects.count == 4 * Layer.allCases.count)
        let able = Self.subjects.filter { $0.abilities == [.socket, .faults, .clock, .streaming] }
        #expect(able.count == Layer.allCases.count)
        #expect(able.allSatisfy { Self.cases(for: $0).count > 50 })
    }
}
