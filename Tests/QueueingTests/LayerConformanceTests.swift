import PatchbayTestKit
import Queueing
import Testing
import Transport

@Suite("Transport conformance of the layers", .timeLimit(.minutes(5))) struct LayerConformanceTests {
    private static let sendsAgain: [String: ConformanceExclusion] = [
        "a server that is busy is a response": "sending again is what the layer is for",
        "an answer that is shorter than its length is an error": "sending again is what the layer is for",
    ]

    static let subjects: [ConformanceSubject] = [
        ConformanceSubject(inProcess: "Queued") { Queued(base: ScriptedTransport($0)) },
        ConformanceSubject(inProcess: "Retrying", exclusions: sendsAgain) {
            Retrying(
                base: ScriptedTransport($0),
                strategy: Retry(triage: .standard, delay: .constant(.milliseconds(1)), permission: .attempts(2)))
        },
        ConformanceSubject(inProcess: "Hedging") { Hedging(base: ScriptedTransport($0), after: .seconds(600)) },
        ConformanceSubject(inProcess: "CircuitBreaking") {
            CircuitBreaking(base: ScriptedTransport($0), policy: CircuitPolicy(isFailure: { _ in false }))
        },
        ConformanceSubject(inProcess: "Coalescing") { Coalescing(base: ScriptedTransport($0)) },
    ]

    // One after the other: a thousand at once would leave the other tests neither threads nor memory.
    @Test("each layer does what transports do", .serialized, arguments: subjects, TransportConformance.cases)
    func conforms(subject: ConformanceSubject, conformance: ConformanceCase) async throws {
        try await conformance.check(subject)
    }
}
