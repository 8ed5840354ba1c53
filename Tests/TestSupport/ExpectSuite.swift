package import PatchbayTestKit
import Testing

/// Expects the cases of a conformance suite to have unique names, and the last one to refuse exclusions of other names.
/// - Parameter name: the name of a case.
package func expectSuite<Subject: TestSubject>(
    of cases: [ConformanceRequirement<Subject>], excluding name: String,
    subject: (_ exclusions: [String: ConformanceExclusion]) -> Subject
) async throws {
    let names = cases.map(\.name)
    #expect(Set(names).count == names.count && names.count >= 50)
    let last = try #require(cases.last)
    #expect(try await last.check(subject([name: "x"])) == .passed)
    await #expect(throws: ConformanceFailure.self) { try await last.check(subject([name + "s": "x"])) }
}
