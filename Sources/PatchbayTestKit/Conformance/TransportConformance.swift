/// What every transport does, as cases that any of them is held against.
///
/// ```swift
/// @Test(arguments: TransportConformance.cases) func conforms(conformance: ConformanceCase) async throws {
///     try await conformance.check(ConformanceSubject(overSocket: "MyTransport") { MyTransport() })
/// }
/// ```
///
/// With XCTest, loop over ``cases`` in a test. Each case makes a server and a transport of its own, so all of them may
/// run at once and in any order. A case needs what a subject may not have, such as a socket; then it does not apply.
/// What a transport does otherwise, and is meant to, is an exclusion of its subject, with a reason.
public enum TransportConformance {
    /// Every case. Their names are unique.
    public static let cases: [ConformanceCase] =
        requests + requestBodies + responses + framing + responseBodies + faults + connections + cancellation
        + deadlines
        + progress + redirects + cookies + secrets + streaming + downloads + [exclusions]

    /// Reads through the exclusions for names that no case has.
    private static let exclusions = ConformanceCase("each exclusion is that of a case") { subject in
        let names = Set(cases.map(\.name))
        let unknown = subject.exclusions.keys.filter { !names.contains($0) }.sorted()
        try expect(unknown.isEmpty, "there are no cases of these names: \(unknown)")
    }
}
