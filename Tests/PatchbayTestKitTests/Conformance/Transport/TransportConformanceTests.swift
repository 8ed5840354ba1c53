import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite(.needsSlot) struct TransportConformanceTests {
    private static let followsRedirects: [String: ConformanceExclusion] = [
        "a redirect is a response": "the layer follows redirects by design",
        "cookies are kept, also several of one response and on a redirect":
            "the redirect is followed below the layer that keeps cookies",
    ]
    private static let keepsCookies: [String: ConformanceExclusion] = [
        "no cookies, cache or credentials are kept between requests": "the layer keeps cookies by design"
    ]
    private static let leavesBodyUnread: [String: ConformanceExclusion] = Dictionary(
        uniqueKeysWithValues: [
            "a body from a stream that fails fails the call",
            "a body from a stream shorter than it says fails the call",
            "a body from a stream longer than it says fails the call",
            "a body from a generator that fails fails the call",
            "a body from a generator shorter than it says fails the call",
            "a body from a generator longer than it says fails the call",
            "a body from a generator with a piece of no bytes fails the call", "a stream can be sent once",
            "sent bytes of a stream are counted",
        ].map { ($0, "the closure decides whether the body is read") })

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

    /// The same transports with streamed responses.
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

    // One by one: a thousand cases at once would use up threads and memory. A failure names its case.
    @Test(arguments: subjects + streams)
    func `every transport conforms`(subject: ConformanceSubject) async {
        for conformance in TransportConformance.cases {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }

    @Test func `every transport streams, and URLSessionTransport has all capabilities`() {
        #expect(Self.subjects.allSatisfy { $0.capabilities.contains(.streaming) })
        #expect(ConformanceSubject.urlSession.capabilities == [.socket, .faults, .clock, .streaming])
        let needed = TransportConformance.cases.reduce(into: Set()) { $0.formUnion($1.needs) }
        #expect(needed == [.socket, .faults, .clock, .streaming])
    }
}
