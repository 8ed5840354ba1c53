import LocalStore
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct StoreConformanceTests {
    static let subjects: [StoreSubject] = [.memory, .journal, StoreSubject("LockedStore") { _ in LockedStore() }]

    @Test(arguments: StoreConformance.cases, subjects)
    func `each store conforms`(conformance: StoreConformanceCase, subject: StoreSubject) async throws {
        let verdict = try await conformance.check(subject)
        #expect((verdict == .passed) == conformance.needs.isSubset(of: subject.capabilities))
    }
}
