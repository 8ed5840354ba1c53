import HTTPCaching
import HTTPMessages
import LocalStore
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite(.needsSlot) struct CachingConformanceTests {
    private static let purpose: ConformanceExclusion = "to store responses is the purpose of the layer"
    private static let events: ConformanceExclusion =
        "the status of the cache is an event, and in the head of the response, which the base has reported without it"
    private static let exclusions = [
        "no cookies, cache or credentials are kept between requests": purpose,
        "events come in order: sent, head, received": events,
        "without bodies the head is the only event": events,
    ]

    static let subjects = [
        ConformanceSubject(inProcess: "Caching", exclusions: exclusions) { ScriptedTransport($0).caching() },
        ConformanceSubject(inProcess: "Caching in a store", exclusions: exclusions) { script in
            ScriptedTransport(script).caching(in: HTTPCache(in: MemoryStore()))
        },
        ConformanceSubject(
            overSocket: "Caching over a network", exclusions: ConformanceSubject.urlSessionExclusions
        ) { clock in URLSessionTransport(clock: clock).caching() },
    ]

    /// Over a network only faults, streaming and cancellation: layers do not read bytes.
    static func cases(for subject: ConformanceSubject) -> [ConformanceCase] {
        guard subject.capabilities.contains(.socket) else { return TransportConformance.cases }
        return TransportConformance.cases.filter {
            !$0.needs.isDisjoint(with: [.faults, .streaming, .clock]) || $0.name.contains("cancel")
        }
    }

    @Test(arguments: subjects) func `the layer conforms`(subject: ConformanceSubject) async {
        for conformance in Self.cases(for: subject) {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }
}
