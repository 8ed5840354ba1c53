import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct SQLiteConformanceTests {
    @Test(arguments: StoreConformance.cases, StoreSubject.sqlite)
    func `each store conforms`(conformance: StoreConformanceCase, subject: StoreSubject) async throws {
        let verdict = try await conformance.check(subject)
        #expect((verdict == .passed) == conformance.needs.isSubset(of: subject.capabilities))
    }
}
