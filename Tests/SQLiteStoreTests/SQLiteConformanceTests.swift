import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@Suite("SQLite store conformance", .needsSlot) struct SQLiteConformanceTests {
    @Test("each store conforms", arguments: StoreConformance.cases, StoreSubject.sqlite)
    func conforms(conformance: StoreConformanceCase, subject: StoreSubject) async throws {
        let verdict = try await conformance.check(subject)
        #expect((verdict == .passed) == conformance.needs.isSubset(of: subject.capabilities))
    }
}
