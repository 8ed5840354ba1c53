import LocalStore
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@Suite("Store conformance", .needsSlot) struct StoreConformanceTests {
    static let subjects: [StoreSubject] = [.memory, .journal, StoreSubject("LockedStore") { _ in LockedStore() }]

    @Test("each store conforms", arguments: StoreConformance.cases, subjects)
    func conforms(conformance: StoreConformanceCase, subject: StoreSubject) async throws {
        let verdict = try await conformance.check(subject)
        #expect((verdict == .passed) == conformance.needs.isSubset(of: subject.capabilities))
    }
}
