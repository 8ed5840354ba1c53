import LocalStore
import Synchronization
import TestSupport
import Testing

@testable import StoreTestKit

@Suite(.needsSlot) struct StoreConformanceCaseTests {
    private static let fails = StoreConformanceCase("a case that fails") { _, _ in
        throw ConformanceFailure("it is blue")
    }
    private static let passes = StoreConformanceCase("a case that passes") { store, _ in
        try expect(store.schema(of: "jack"), is: StoreConformance.jacks)
    }
    private static let isNeverRun = StoreConformanceCase("never", needs: [.concurrentReads]) { _, _ in
        Issue.record("It was run.")
    }

    private static let subject = StoreSubject("Subject") { _ in MemoryStore() }

    @Test func `passes or fails`() async throws {
        #expect(try await Self.passes.check(Self.subject) == .passed)
        #expect(try await Self.isNeverRun.check(Self.subject) == .notApplicable("requires concurrent reads"))
        let failure = await #expect(throws: ConformanceFailure.self) { try await Self.fails.check(Self.subject) }
        #expect("\(try #require(failure))" == "Subject: \"a case that fails\": it is blue")
    }

    @Test func `a hanging case times out, and any other error is a failure`() async throws {
        let mayEnd = Gate()
        let hangs = StoreConformanceCase("hangs") { _, _ in _ = waitUnlessHung { mayEnd.isOpen } }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await hangs.check(Self.subject, within: .milliseconds(50))
        }
        mayEnd.open()
        #expect(failure?.message == "timed out after 0.05 seconds")
        let strange = StoreConformanceCase("strange") { store, _ in try store.execute("SELEKT") }
        let other = await #expect(throws: ConformanceFailure.self) { try await strange.check(Self.subject) }
        #expect(other?.message.hasPrefix("threw ") == true)
    }

    @Test func `calls within a read may work without concurrent reads`() async throws {
        let name = "store calls inside read work or throw misuse"
        let conformance = try #require(StoreConformance.cases.first { $0.name == name })
        #expect(try await conformance.check(Self.subject) == .passed)
    }

    /// Expects a store that deviates to fail a case.
    private func expectFailure(
        of name: String, _ change: @escaping @Sendable (any LocalStore) throws -> Void
    ) async throws {
        let conformance = try #require(StoreConformance.cases.first { $0.name == name })
        let subject = StoreSubject("Broken") { _ in
            let store = MemoryStore()
            try change(store)
            return store
        }
        await #expect(throws: ConformanceFailure.self, "\(name)") { try await conformance.check(subject) }
    }

    @Test func `names are unique, and exclusions must name a case`() async throws {
        try await expectSuite(of: StoreConformance.cases, excluding: "values round trip") { exclusions in
            StoreSubject("Store", exclusions: exclusions) { _ in MemoryStore() }
        }
    }

    @Test func `a store that deviates fails`() async throws {
        try await expectFailure(of: "table names match a pattern") { try $0.execute("CREATE TABLE zoo (a)") }
        try await expectFailure(of: "create table follows the schema") { try $0.execute("CREATE TABLE nowhere (a)") }
        try await expectFailure(of: "faulty statements throw typed errors") {
            try $0.execute("CREATE TABLE nowhere (a)")
        }
        try await expectFailure(of: "invalid batches change nothing") {
            try $0.execute("CREATE TABLE nowhere (a INTEGER PRIMARY KEY)")
        }
    }
}
