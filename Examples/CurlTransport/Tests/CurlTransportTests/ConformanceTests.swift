import CurlTransport
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ConformanceTests {
    /// Streams and collects every response, to run the cases for whole responses on streams.
    private struct Streamed: Transport {
        let base: any StreamingTransport

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            let response = try await base.stream(request, observer: observer)
            return try await response.collect(upTo: request.options.maximumResponseBytes)
        }
    }

    private static let subjects = [
        ConformanceSubject(overSocket: "CurlTransport") { clock in TestTransport.curl(clock: clock) },
        ConformanceSubject(
            overSocket: "CurlTransport, streamed",
            exclusions: [
                "an error in the body carries the head and at most 1 KiB":
                    "the reader of a stream has its bytes already"
            ]
        ) { clock in Streamed(base: TestTransport.curl(clock: clock)) },
        ConformanceSubject(
            overSocket: "CurlTransport with its layers",
            exclusions: [
                "a redirect is a response": "the layer follows redirects by design",
                "a redirect to an IPv6 address is a response": "the layer follows redirects by design",
                "no cookies, cache or credentials are kept between requests": "the layer keeps cookies by design",
            ]
        ) { clock in TestTransport.curl(clock: clock).keepingCookies().redirecting() },
    ]

    @Test func `has every capability, and excludes nothing`() {
        #expect(Self.subjects[0].capabilities == [.socket, .faults, .clock, .streaming])
        #expect(Self.subjects[0].exclusions.isEmpty)
    }

    // One by one, as each case has servers of its own. A failure names its case.
    @Test(arguments: subjects) func `conforms`(subject: ConformanceSubject) async {
        for conformance in TransportConformance.cases {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }

    // Also at the same time, which the cases must survive, and the engine too.
    @Test(arguments: TransportConformance.cases)
    func `conforms beside other transfers`(conformance: ConformanceCase) async throws {
        try await conformance.check(Self.subjects[0])
    }
}
