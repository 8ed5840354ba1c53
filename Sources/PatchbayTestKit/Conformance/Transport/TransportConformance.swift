/// The conformance suite: requirements that every transport meets, as test cases.
///
/// ```swift
/// @Test(arguments: TransportConformance.cases) func conforms(conformance: ConformanceCase) async throws {
///     try await conformance.check(ConformanceSubject(overSocket: "MyTransport") { MyTransport() })
/// }
/// ```
///
/// With XCTest, loop over ``cases`` in a test. Each case creates its own server and transport, so cases may run in
/// parallel and in any order. A case does not apply to a subject without the capabilities it needs, such as a socket.
/// An intended deviation of a transport is an exclusion of its subject, with a reason.
public enum TransportConformance {
    /// All cases. Their names are unique.
    public static let cases: [ConformanceCase] =
        requests + requestBodies + expectations + responses + framing + responseBodies + faults + connections
        + cancellation
        + deadlines + progress + redirects + cookies + secrets + streaming + downloads
        + [.exclusionsNameCases { cases }]
}
