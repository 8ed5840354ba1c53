import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite("Transport conformance", .needsSlot) struct TransportConformanceTests {
    private static let followsRedirects: [String: ConformanceExclusion] = [
        "a redirect is a response": "following them is what the layer is for",
        "cookies are kept, also several of one response and on a redirect":
            "it follows a redirect inside of the layer that keeps cookies",
    ]
    private static let keepsCookies: [String: ConformanceExclusion] = [
        "no cookies, cache or credentials are kept between requests": "keeping them is what the layer is for"
    ]
    private static let leavesBodyUnread: [String: ConformanceExclusion] = Dictionary(
        uniqueKeysWithValues: [
            "a body from a stream that fails fails the call",
            "a body from a stream shorter than it says fails the call",
            "a body from a stream longer than it says fails the call",
            "a body from a generator that fails fails the call",
            "a body from a generator shorter than it says fails the call",
            "a body from a generator longer than it says fails the call", "a stream can be sent once",
            "what was sent of a stream is counted",
        ].map { ($0, "its closure reads the body, or does not") })

    static let subjects: [ConformanceSubject] = [
        .urlSession,
        ConformanceSubject(inProcess: "FakeTransport", exclusions: leavesBodyUnread) { FakeTransport($0) },
        ConformanceSubject(inProcess: "ScriptedTransport") { ScriptedTransport($0) },
        ConformanceSubject(inProcess: "ServiceTransport", passesErrors: false) { ServiceTransport($0) },
        ConformanceSubject(inProcess: "RecordingTransport") { RecordingTransport(base: ScriptedTransport($0)) },
        ConformanceSubject(inProcess: "Redirecting", exclusions: followsRedirects) {
            Redirecting(base: ScriptedTransport($0))
        },
        ConformanceSubject(inProcess: "CookieKeeping", exclusions: keepsCookies) {
            CookieKeeping(base: ScriptedTransport($0))
        },
    ]

    /// The same, with responses that come while they are read.
    static let streams: [ConformanceSubject] = [
        ConformanceSubject(
            overSocket: "URLSessionTransport, streamed", exclusions: ConformanceSubject.urlSessionStreamExclusions
        ) { Streamed(base: URLSessionTransport(clock: $0)) },
        ConformanceSubject(inProcess: "FakeTransport, streamed", exclusions: leavesBodyUnread) {
            Streamed(base: FakeTransport($0))
        },
        ConformanceSubject(inProcess: "ScriptedTransport, streamed") { Streamed(base: ScriptedTransport($0)) },
        ConformanceSubject(inProcess: "ServiceTransport, streamed", passesErrors: false) {
            Streamed(base: ServiceTransport($0))
        },
        ConformanceSubject(inProcess: "RecordingTransport, streamed") {
            Streamed(base: RecordingTransport(base: ScriptedTransport($0)))
        },
        ConformanceSubject(inProcess: "Redirecting, streamed", exclusions: followsRedirects) {
            Streamed(base: Redirecting(base: ScriptedTransport($0)))
        },
        ConformanceSubject(inProcess: "CookieKeeping, streamed", exclusions: keepsCookies) {
            Streamed(base: CookieKeeping(base: ScriptedTransport($0)))
        },
    ]

    // Case by case: a thousand at once would leave the other tests neither threads nor memory. A failure names its case.
    @Test("every transport does what transports do", arguments: subjects + streams)
    func conforms(subject: ConformanceSubject) async {
        for conformance in TransportConformance.cases {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }

    @Test("every transport here streams, and the network has all that a case may need") func abilities() {
        #expect(Self.subjects.allSatisfy { $0.abilities.contains(.streaming) })
        #expect(ConformanceSubject.urlSession.abilities == [.socket, .faults, .clock, .streaming])
        let needed = TransportConformance.cases.reduce(into: Set()) { $0.formUnion($1.needs) }
        #expect(needed == [.socket, .faults, .clock, .streaming])
    }
}
