import LocalStore
import Synchronization
import TestSupport
import Testing

@testable import PatchbayTestKit

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

    private func subject(_ exclusions: [String: ConformanceExclusion] = [:]) -> StoreSubject {
        StoreSubject("Subject", exclusions: exclusions) { _ in MemoryStore() }
    }

    @Test func `passes or fails`() async throws {
        #expect(try await Self.passes.check(subject()) == .passed)
        #expect(try await Self.isNeverRun.check(subject()) == .notApplicable("requires concurrent reads"))
        let failure = await #expect(throws: ConformanceFailure.self) { try await Self.fails.check(subject()) }
        #expect("\(try #require(failure))" == "Subject: \"a case that fails\": it is blue")
    }

    @Test func `an excluded case must fail`() async throws {
        let subject = subject(["a case that fails": "blue", "a case that passes": "green"])
        #expect(try await Self.fails.check(subject) == .excluded("blue"))
        let failure = await #expect(throws: ConformanceFailure.self) { try await Self.passes.check(subject) }
        #expect(failure?.message == "passes; remove its exclusion: green")
    }

    @Test func `a hanging case times out, and any other error is a failure`() async throws {
        let mayEnd = Gate()
        let hangs = StoreConformanceCase("hangs") { _, _ in _ = waitUnlessHung { mayEnd.isOpen } }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await hangs.check(subject(), within: .milliseconds(50))
        }
        mayEnd.open()
        #expect(failure?.message == "timed out after 0.05 seconds")
        let strange = StoreConformanceCase("strange") { store, _ in try store.execute("SELEKT") }
        let other = await #expect(throws: ConformanceFailure.self) { try await strange.check(subject()) }
        #expect(other?.message.hasPrefix("threw ") == true)
    }

    @Test func `names are unique, and exclusions must name a case`() async throws {
        let names = StoreConformance.cases.map(\.name)
        #expect(Set(names).count == names.count && names.count >= 50)
        let last = try #require(StoreConformance.cases.last)
        #expect(try await last.check(subject(["values round trip": "x"])) == .passed)
        await #expect(throws: ConformanceFailure.self) { try await last.check(subject(["values run trip": "x"])) }
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
