import LocalStore
import PatchbayTestKit
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct StoreConformanceTests {
    static let subjects: [StoreSubject] = [.memory, .journal, .locked]

    @Test(arguments: StoreConformance.cases, subjects)
    func `each store conforms`(conformance: StoreConformanceCase, subject: StoreSubject) async throws {
        let verdict = try await conformance.check(subject)
        #expect((verdict == .passed) == conformance.needs.isSubset(of: subject.capabilities))
    }

    private func expectFailure(of name: String, _ subject: StoreSubject) async throws {
        let conformance = try #require(StoreConformance.cases.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) { try await conformance.check(subject) }
    }

    @Test func `a store that does not check its protected tables fails`() async throws {
        let subject = StoreSubject("Unprotected") { _ in LockedStore(protectedTables: ProtectedTables()) }
        try await expectFailure(of: "writes to protected tables throw misuse", subject)
    }

    @Test func `a store with concurrent reads that refuses calls within a read fails`() async throws {
        let subject = StoreSubject("Refusing", capabilities: [.concurrentReads]) { _ in LockedStore() }
        try await expectFailure(of: "store calls inside read work or throw misuse", subject)
    }
}
